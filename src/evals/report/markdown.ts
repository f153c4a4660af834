/** Pieces of GitHub's Markdown in which a text can never become markup. */
import { shownLine } from './shown-text.ts';

const mostCharacters = 300;
/** How a cell begins that is a figure, and set right. */
const figure = /^[$<>+−–\d]/;

/** A text from outside as a code span: nothing in it is markup, a link or a mention. Empty for an empty text. */
export function code(text: string): string {
  const shown = shownLine(text, mostCharacters);
  if (shown === '') return '';
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const room = longest > 0 ? ' ' : '';
  return `${fence}${room}${shown}${room}${fence}`;
}

/** A sentence of the program that may hold a name: its punctuation is escaped. */
export function words(text: string): string {
  return shownLine(text, 2 * mostCharacters).replace(
    /[\\`*_[\]<>|#!&~@]/g,
    (character) => entities[character] ?? `\\${character}`,
  );
}

/** Escaping by a backslash leaves a mention a mention, and is not known inside HTML. */
const entities: Record<string, string> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '@': '&#64;', '|': '&#124;' };

/** A table. Its cells are Markdown; a bar in one of them is escaped, also in a code span, as GitHub wants it. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const isFigures = (column: number): boolean => rows.every((cells) => figure.test(cells[column] ?? ''));
  return [line(heads), line(heads.map((_, column) => (isFigures(column) ? '--:' : '---'))), ...rows.map(line)].join(
    '\n',
  );
}
