import { excerpt } from '../../excerpt.ts';

/** A part of a document that is found and read on its own. `text` stands word for word in the document. */
export interface Passage {
  /** Line numbers, the first line being 1; both inclusive. */
  from: number;
  to: number;
  /** Where in the document it stands, for example `Fees > Refunds`; empty when it has no heading. */
  heading: string;
  text: string;
}

/** Line numbers, both inclusive. */
export interface LineRange {
  from: number;
  to: number;
}

/** A passage is not longer than this, in characters. */
export const longestPassage = 1_500;

/** The line number of an offset. Built once for a text, each look-up is a binary search. */
export function lineNumbers(text: string): (offset: number) => number {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** The paragraphs of a range: what blank lines separate, where `isOpen` does not say that a line is inside a code block. */
export function paragraphs(lines: string[], range: LineRange, isOpen: (line: number) => boolean): LineRange[] {
  const found: LineRange[] = [];
  let current: LineRange | undefined;
  for (let line = range.from; line <= range.to; line++) {
    const isBlank = (lines[line - 1] ?? '').trim() === '' && !isOpen(line);
    if (isBlank) current = undefined;
    else if (current) current.to = line;
    else {
      current = { from: line, to: line };
      found.push(current);
    }
  }
  return found;
}

/** Passages of at most `room` characters from neighbouring ranges; a longer range is split between lines, then inside one. */
export function pack(lines: string[], ranges: LineRange[], options: { heading: string; room: number }): Passage[] {
  const packed: LineRange[] = [];
  let length = 0;
  for (const range of ranges.flatMap((each) => split(lines, each, options.room))) {
    const last = packed.at(-1);
    const grown = last ? length + lengthOf(lines, { from: last.to + 1, to: range.to }) : 0;
    if (last && grown <= options.room) {
      last.to = range.to;
      length = grown;
    } else {
      packed.push({ ...range });
      length = lengthOf(lines, range);
    }
  }
  return packed.flatMap((range) => cut(passageOf(lines, range, options.heading)));
}

/** The passage in pieces of at most `longestPassage` characters. */
export function cut(passage: Passage): Passage[] {
  if (passage.text.length <= longestPassage) return [passage];
  const pieces: Passage[] = [];
  const lineOf = lineNumbers(passage.text);
  for (let from = 0; from < passage.text.length; ) {
    const part = excerpt(passage.text, { max: longestPassage, from });
    const first = passage.from - 1;
    pieces.push({ ...passage, from: first + lineOf(part.from), to: first + lineOf(part.to - 1), text: part.text });
    from = part.to;
  }
  return pieces;
}

function split(lines: string[], range: LineRange, room: number): LineRange[] {
  if (lengthOf(lines, range) <= room) return [range];
  return Array.from({ length: range.to - range.from + 1 }, (_, index) => ({
    from: range.from + index,
    to: range.from + index,
  }));
}

/** Stops counting soon after `longestPassage`. */
function lengthOf(lines: string[], { from, to }: LineRange): number {
  let length = 0;
  for (let line = from; line <= to && length <= longestPassage; line++) length += (lines[line - 1]?.length ?? 0) + 1;
  return length;
}

function passageOf(lines: string[], range: LineRange, heading: string): Passage {
  return { ...range, heading, text: lines.slice(range.from - 1, range.to).join('\n') };
}
