import { cut, lineNumbers, type Passage } from './lines.ts';

/** A header that is longer is not repeated. */
const longestHeader = 1_000;

/** One passage for each row of a CSV or TSV text, with the header row before it, so that it can be read alone. */
export function tablePassages(text: string): Passage[] {
  const lineOf = lineNumbers(text);
  const [header, ...rows] = records(text);
  if (!header) return [];
  const headerText = text.slice(header.start, header.end);
  const repeated = headerText.length > longestHeader ? '' : `${headerText}\n`;
  if (rows.length === 0) return cut({ from: 1, to: lineOf(header.end), heading: '', text: headerText });
  return rows.flatMap(({ start, end }) => {
    const row = { from: lineOf(start), to: lineOf(end), heading: '', text: text.slice(start, end) };
    return cut(row).map((piece) => ({ ...piece, text: repeated + piece.text }));
  });
}

interface Span {
  start: number;
  end: number;
}

/** The records of a text; a quoted field may hold line breaks (RFC 4180). A quote that is never closed is a plain character. */
function records(text: string): Span[] {
  const found: Span[] = [];
  let start = 0;
  const token = /(?:^|(?<=[,;\t|\n]))"[^"]*(?:""[^"]*)*"|\n/g;
  const finish = (end: number) => {
    if (text.slice(start, end).trim() !== '') found.push({ start, end });
    start = end + 1;
  };
  for (const match of text.matchAll(token)) if (match[0] === '\n') finish(match.index);
  finish(text.length);
  return found;
}
