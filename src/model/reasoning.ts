import { readValue } from './repair.ts';

/** A reply taken apart: what the model thought, and what it said. */
export interface SplitText {
  reasoning: string;
  text: string;
}

/**
 * Takes the reasoning out of a reply, so that nothing in it is executed or shown: `<think>…</think>` (or `<thinking>`)
 * anywhere, everything before a closing tag that nothing opened (the chat template had opened it), and everything after an
 * opening tag that nothing closes. Tags in the strings of a JSON value that the answer begins with, and a tag alone in
 * inline code, are only mentioned. Without reasoning the text is returned as it is, otherwise both parts are trimmed.
 */
export function splitReasoning(text: string): SplitText {
  const said: string[] = [];
  const thought: string[] = [];
  let from = 0;
  let open = false;
  for (const tag of realTags(text)) {
    (open ? thought : said).push(text.slice(from, tag.start));
    if (!open && tag.closes) thought.push(...said.splice(0));
    open = !tag.closes;
    from = tag.end;
  }
  if (from === 0) return { reasoning: '', text };
  (open ? thought : said).push(text.slice(from));
  const pieces = thought.map((piece) => piece.trim()).filter((piece) => piece !== '');
  return { reasoning: pieces.join('\n'), text: said.join('').trim() };
}

/** The tags that begin or end reasoning, without mentions and without openings inside an open one. */
function* realTags(text: string): Generator<{ start: number; end: number; closes: boolean }> {
  let answer = valueAt(text, 0);
  let open = false;
  for (const tag of text.matchAll(/<(\/?)think(?:ing)?>/gi)) {
    const closes = tag[1] === '/';
    if (open ? !closes : isMention(text, tag, answer.end)) continue;
    const end = tag.index + tag[0].length;
    yield { start: tag.index, end, closes };
    open = !closes;
    // One unreadable value is enough: looking at what follows it again and again would cost a square.
    if (!open && !answer.failed) answer = valueAt(text, end);
  }
}

/** Where the JSON value ends that the text begins with from `from` on, bare or in a code fence. */
function valueAt(text: string, from: number): { end: number; failed: boolean } {
  const opener = /\s*(?:```[\w+-]*\s*)?(?=[[{"])/y;
  opener.lastIndex = from;
  if (!opener.test(text)) return { end: from, failed: false };
  const reading = readValue(text, opener.lastIndex);
  return reading.ok ? { end: reading.end, failed: false } : { end: from, failed: true };
}

/** A tag in a string of the answer's JSON, or alone in inline code. */
function isMention(text: string, tag: RegExpExecArray, answerEnd: number): boolean {
  if (tag.index < answerEnd) return true;
  return text[tag.index - 1] === '`' && text[tag.index + tag[0].length] === '`';
}
