import { type LineRange, longestPassage, type Passage, pack, paragraphs } from './lines.ts';

interface Heading {
  level: number;
  title: string;
}

interface Section extends LineRange {
  headings: Heading[];
}

/** The sections of a Markdown text under their headings (ATX and setext); a long one is split between paragraphs. */
export function markdownPassages(text: string): Passage[] {
  const lines = text.split('\n');
  const code = codeLines(lines);
  return sections(lines, code).flatMap((section) => {
    const ranges = paragraphs(lines, section, (line) => code.has(line));
    const heading = section.headings.map(({ title }) => title).join(' > ');
    return pack(lines, ranges, { heading, room: longestPassage });
  });
}

/** The paragraphs of a plain text, short neighbours together. */
export function textPassages(text: string): Passage[] {
  const lines = text.split('\n');
  const ranges = paragraphs(lines, { from: 1, to: lines.length }, () => false);
  return pack(lines, ranges, { heading: '', room: longestPassage / 2 });
}

/** The numbers of the lines inside fenced code blocks and front matter, where `#` begins no heading. */
function codeLines(lines: string[]): Set<number> {
  const inside = new Set<number>();
  let fence = lines[0]?.trimEnd() === '---' && lines.indexOf('---', 1) > 0 ? '---' : '';
  if (fence) inside.add(1);
  lines.forEach((line, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== '' && index > 0) {
      inside.add(index + 1);
      const closes = fence === '---' ? line.trimEnd() === fence : mark?.startsWith(fence) && line.trim() === mark;
      if (closes) fence = '';
    } else if (mark !== undefined && fence === '') {
      inside.add(index + 1);
      fence = mark;
    }
  });
  return inside;
}

function sections(lines: string[], code: Set<number>): Section[] {
  const found: Section[] = [];
  let current: Section = { from: 1, to: 0, headings: [] };
  const finish = (to: number, next: Heading | undefined) => {
    const isEmpty = isHeadingOnly(lines, { ...current, to });
    const leadsOn = next !== undefined && next.level > (current.headings.at(-1)?.level ?? 0);
    if (!isEmpty || !leadsOn) found.push({ ...current, to });
  };
  for (let line = 1; line <= lines.length; line++) {
    if (code.has(line)) continue;
    const heading = headingAt(lines, line, code);
    if (!heading) continue;
    finish(line - 1, heading);
    current = {
      from: line,
      to: line,
      headings: [...current.headings.filter(({ level }) => level < heading.level), heading],
    };
  }
  finish(lines.length, undefined);
  return found.filter(({ from, to }) => from <= to);
}

function isHeadingOnly(lines: string[], { from, to, headings }: Section): boolean {
  const body = lines.slice(headings.length > 0 ? from : from - 1, to);
  return body.every((line) => /^\s*(?:=+|-+)?\s*$/.test(line));
}

/** A heading that begins on this line. */
function headingAt(lines: string[], line: number, code: Set<number>): Heading | undefined {
  const text = lines[line - 1] ?? '';
  const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(text);
  if (atx?.[1] !== undefined) return { level: atx[1].length, title: (atx[2] ?? '').trim() };
  const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(lines[line] ?? '')?.[1];
  const isFirst = code.has(line - 1) || (lines[line - 2] ?? '').trim() === '';
  const isParagraph = isFirst && /^ {0,3}[^\s>|#-]/.test(text);
  return underline !== undefined && isParagraph
    ? { level: underline.startsWith('=') ? 1 : 2, title: text.trim() }
    : undefined;
}
