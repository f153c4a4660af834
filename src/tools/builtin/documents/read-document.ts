import { type Part, shownLines } from '../files/shown-lines.ts';
import { documentText } from './document-text.ts';
import { listFiles, readBytes, resolveInside } from './folder.ts';

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
  return shownLines(part, document.text, limits);
}

async function available(folder: string): Promise<string> {
  const { files } = await listFiles(folder, namedFiles);
  const names = files.slice(0, shownNames).map(({ path }) => path);
  return `Files: ${names.join('; ') || '(none)'}${files.length > shownNames ? `; and ${files.length - shownNames} more` : ''}`;
}
