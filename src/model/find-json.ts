const quotes = '"\'“”„‘’';
const scalar = String.raw`(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[tT]rue|[fF]alse|null|None)\s*(?:[,\]]|/[/*])`;
const inBraces = String.raw`\s*(?:[${quotes}}]|/[/*])`;
const inBrackets = String.raw`(?:[${quotes}\]]|/[/*]|\{${inBraces}|${scalar})`;
const afterBrace = new RegExp(inBraces, 'y');
const afterBrackets = new RegExp(inBrackets, 'y');
const bracketRun = /[[\s]*/y;

/**
 * The index of the next bracket from `from` on that begins something that looks like JSON, or -1. Brackets of prose
 * (`{name}`, `[see below]`) are passed over. Linear: no character is looked at more than a few times.
 */
export function nextJson(text: string, from: number): number {
  const opener = /[[{]/g;
  opener.lastIndex = from;
  for (let found = opener.exec(text); found; found = opener.exec(text)) {
    const at = found.index;
    if (found[0] === '{') {
      if (matchLength(afterBrace, text, at + 1) > 0) return at;
    } else {
      // A run of brackets is judged once, by what follows it.
      const end = at + matchLength(bracketRun, text, at);
      if (matchLength(afterBrackets, text, end) > 0) return at;
      opener.lastIndex = end;
    }
  }
  return -1;
}

function matchLength(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0].length ?? 0;
}

/** The index after the inline code span (one backtick) that begins right before `start`, or -1. */
export function inlineCodeEnd(text: string, start: number): number {
  if (text[start - 1] !== '`' || text[start - 2] === '`') return -1;
  return text.indexOf('`', start) + 1 || -1;
}

/** True for a value that prose is full of, a citation (`[1]`, `[2, 3]`) or an empty pair: better ones are looked for. */
export function isIncidental(source: string): boolean {
  return source.length < 40 && /^(?:\[\s*(?:\d{1,3}\s*(?:,\s*\d{1,3}\s*)*)?\]|\{\s*\})$/.test(source);
}

/**
 * Why the value at [start, end) cannot be taken for the whole of what was meant, or undefined: it is a member of
 * something whose opening bracket is missing, or a quote inside one of its strings ended it early. `next` is where the
 * value after it begins, or the length of the text.
 */
export function whyFragment(text: string, start: number, end: number, next: number): string | undefined {
  const before = lastBefore(text, start);
  if (before.index >= 0 && ':,'.includes(before.character)) {
    if (quotes.includes(lastBefore(text, before.index).character || ' ')) {
      return 'it follows a key or a value whose opening bracket is missing';
    }
  }
  const after = text.slice(end, next);
  const wrapped = before.index === start - 1 && quotes.includes(before.character || ' ');
  if ((!wrapped && /^["“”]/.test(after)) || /["'“”]\s*[}\]]/.test(after) || closesMore(after)) {
    return 'more of it seems to follow: write inner quotes as \\"';
  }
  return undefined;
}

function lastBefore(text: string, end: number): { index: number; character: string } {
  let index = end - 1;
  while (index >= 0 && /\s/.test(text.charAt(index))) index -= 1;
  return { index, character: text.charAt(index) };
}

/** True when a closing bracket that nothing opened comes after a quote: the tail of a string and of its object. */
function closesMore(after: string): boolean {
  let depth = 0;
  let quoted = false;
  for (const [character] of after.matchAll(/["'“”[\]{}]/g)) {
    if ('[{'.includes(character)) depth += 1;
    else if (!']}'.includes(character)) quoted = true;
    else if (depth > 0) depth -= 1;
    else if (quoted) return true;
  }
  return false;
}

/**
 * What stands around the value at [start, end): nothing, a code fence (`fence`), or words (`prose`). `in-sentence`: words
 * share a line with it, so that it may only be spoken of.
 */
export function packaging(text: string, start: number, end: number): string[] {
  const opened = /(?:^|\s)(?:`{1,4}|~~~)[\w+-]*\s*$/.exec(text.slice(Math.max(0, start - 60), start));
  const closed = /^\s*(?:`{1,4}|~~~)/.exec(text.slice(end, end + 60));
  const before = text.slice(0, opened ? start - opened[0].trimStart().length : start);
  const after = text.slice(opened && closed ? end + closed[0].length : end);
  const found: string[] = opened ? ['fence'] : [];
  if (before.trim() !== '' || after.trim() !== '') found.push('prose');
  if (/\S/.test(before.slice(before.lastIndexOf('\n') + 1)) || /^[^\S\n]*\S/.test(after)) found.push('in-sentence');
  return found;
}
