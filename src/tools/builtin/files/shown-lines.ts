import { excerpt } from '../../excerpt.ts';

/** A wish to read a document: `from` is a line number. */
export interface Part {
  path: string;
  from: number;
  lines?: number | undefined;
}

/**
 * The lines of a text that were asked for, as many as fit in `maxChars`, under a head with their range and `about`, and how to read on.
 * Throws for a line after the last one.
 */
export function shownLines(part: Part, text: string, options: { maxChars: number; about?: string }): string {
  const { maxChars, about = '' } = options;
  const all = text.replace(/\n$/, '').split('\n');
  if (text === '') return `${part.path} is empty${about}`;
  if (part.from > all.length) {
    throw new Error(`${part.path} has ${all.length} lines: ask for a line from 1 to ${all.length}`);
  }
  const wanted = all.slice(part.from - 1, part.lines === undefined ? undefined : part.from - 1 + part.lines);
  const fitting = wanted.slice(0, countFitting(wanted, maxChars));
  const to = part.from + fitting.length - 1;
  const head = `${part.path}, lines ${part.from}-${to} of ${all.length}${about}`;
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
