import { cut, lineNumbers, type Passage } from './lines.ts';
import { textPassages } from './markdown-passages.ts';

/** A value that is longer is split into its entries. */
const longestValue = 600;
const deepest = 8;

interface Entry {
  /** Its place in the document: `[2]`, `shipping.zones[0]`; empty for the whole. */
  path: string;
  /** Offsets of the entry, of an object with its key. */
  start: number;
  end: number;
  /** Where its value begins. */
  value: number;
}

/** The entries of a JSON text, each word for word with its path as heading; what is no JSON is split like plain text. */
export function jsonPassages(text: string): Passage[] {
  const start = text.search(/\S/);
  if (start < 0) return [];
  if (!isJson(text)) return textPassages(text);
  const whole = { path: '', start, end: text.trimEnd().length, value: start };
  const lineOf = lineNumbers(text);
  return split(text, whole, 0).flatMap(({ path, start: from, end }) =>
    cut({ from: lineOf(from), to: lineOf(end - 1), heading: path, text: text.slice(from, end) }),
  );
}

/** One passage for each line of a JSON Lines text. */
export function jsonLinesPassages(text: string): Passage[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.trim() === '' ? [] : cut({ from: index + 1, to: index + 1, heading: '', text: line }),
    );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isContainer(text: string, entry: Entry): boolean {
  return text[entry.value] === '{' || text[entry.value] === '[';
}

function split(text: string, entry: Entry, depth: number): Entry[] {
  const isShort = entry.end - entry.start <= longestValue;
  const isList = depth === 0 && text[entry.value] === '[';
  if (!isContainer(text, entry) || (isShort && !isList) || depth >= deepest) return [entry];
  const inner = entriesOf(text, entry);
  if (inner.length === 0) return [entry];
  const found: Entry[] = [];
  let scalars: Entry | undefined;
  for (const each of inner) {
    if (isContainer(text, each)) {
      scalars = undefined;
      found.push(...split(text, each, depth + 1));
    } else if (scalars && each.end - scalars.start <= longestValue) {
      // Neighbouring plain values stand together; alone they would say little.
      Object.assign(scalars, { end: each.end, path: entry.path });
    } else {
      scalars = { ...each };
      found.push(scalars);
    }
  }
  return found;
}

/** The direct entries of an object or array, found by scanning: the text is known to be valid JSON. */
function entriesOf(text: string, container: Entry): Entry[] {
  const isArray = text[container.value] === '[';
  const found: Entry[] = [];
  let depth = 0;
  let start = container.value + 1;
  const finish = (end: number) => {
    const from = start + Math.max(0, text.slice(start, end).search(/\S/));
    const last = from + text.slice(from, end).trimEnd().length;
    if (last > from)
      found.push(entryAt(text, { from, last, index: isArray ? found.length : undefined, parent: container.path }));
    start = end + 1;
  };
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/g;
  token.lastIndex = container.value + 1;
  for (let match = token.exec(text); match && depth >= 0; match = token.exec(text)) {
    const [mark] = match;
    if (mark === '{' || mark === '[') depth++;
    else if (mark === '}' || mark === ']') depth--;
    if (depth < 0 || (depth === 0 && mark === ',')) finish(match.index);
  }
  return found;
}

interface Place {
  from: number;
  last: number;
  /** Of an array element. */
  index: number | undefined;
  parent: string;
}

function entryAt(text: string, { from, last, index, parent }: Place): Entry {
  if (index !== undefined) return { path: `${parent}[${index}]`, start: from, end: last, value: from };
  const [, key = '""', gap = ''] = /^("[^"\\]*(?:\\.[^"\\]*)*")(\s*:\s*)/.exec(text.slice(from, last)) ?? [];
  const name = String(JSON.parse(key));
  return {
    path: parent === '' ? name : `${parent}.${name}`,
    start: from,
    end: last,
    value: from + key.length + gap.length,
  };
}
