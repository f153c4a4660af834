import { excerpt } from '../../excerpt.ts';
import { documentText } from './document-text.ts';
import { listFiles, readBytes, resolveInside } from './folder.ts';

/** A wish to read a document: `from` is a line number. */
export interface Part {
  path: string;
  from: number;
  lines?: number | undefined;
}

interface ReadLimits {
  maxChars: number;
  maxFileBytes: number;
}

const shownNames = 40;
const namedFiles = 5_000;

/** The lines asked for, under a head that states their range. Throws with the reason when the file cannot be read. */
export async function readDocument(folder: string, part: Part, limits: ReadLimits): Promise<string> {
  const resolved = await resolveInside(folder, part.path);
  if ('refused' in resolved) throw new Error(`${resolved.refused}. ${await available(folder)}`);
  const read = await readBytes(resolved.file, limits.maxFileBytes);
  if ('refused' in read) throw new Error(`${part.path}: ${read.refused}. ${await available(folder)}`);
  const document = await documentText(resolved.file, read.bytes);
  if ('refused' in document) throw new Error(`${part.path}: ${document.refused}`);
  return shown(part, document.text, limits.maxChars);
}

async function available(folder: string): Promise<string> {
  const { files } = await listFiles(folder, namedFiles);
  const names = files.slice(0, shownNames).map(({ path }) => path);
  return `Files: ${names.join('; ') || '(none)'}${files.length > shownNames ? `; and ${files.length - shownNames} more` : ''}`;
}

function shown(part: Part, text: string, maxChars: number): string {
  const all = text.replace(/\n$/, '').split('\n');
  if (text === '') return `${part.path} is empty`;
  if (part.from > all.length) {
    throw new Error(`${part.path} has ${all.length} lines: ask for a line from 1 to ${all.length}`);
  }
  const wanted = all.slice(part.from - 1, part.lines === undefined ? undefined : part.from - 1 + part.lines);
  const fitting = wanted.slice(0, countFitting(wanted, maxChars));
  const to = part.from + fitting.length - 1;
  const head = `${part.path}, lines ${part.from}-${to} of ${all.length}`;
  const next = to < all.length ? `\n\n[${all.length - to} more lines: read on with from ${to + 1}]` : '';
  const body = fitting.join('\n');
  if (body.length <= maxChars) return `${head}\n\n${body}${next}`;
  const { text: beginning, total } = excerpt(body, { max: maxChars });
  return `${head}: only the first ${beginning.length} of its ${total} characters, search for the rest\n\n${beginning}${next}`;
}

/** How many lines fit; at least one. */
function countFitting(lines: string[], maxChars: number): number {
  let length = 0;
  const first = lines.findIndex((line) => {
    length += line.length + 1;
    return length > maxChars + 1;
  });
  return first < 0 ? lines.length : Math.max(1, first);
}
