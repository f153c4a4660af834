import { bars, brackets, type CallFormat, type TextCall, tagged } from './text-call-formats.ts';
import { harmony, hasLeakedChannels } from './text-call-harmony.ts';
import { xmlLike } from './text-call-xml.ts';

export type { TextCall } from './text-call-formats.ts';

const formats: readonly CallFormat[] = [bars, harmony, brackets, xmlLike, tagged];

/** Tokens of chat templates and the tags around a list of calls: what may stand beside calls without being prose. */
const furniture = /<\|[^|<>\n]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|<\/?(?:tool_calls?|function_calls?|tools?)>|<\/?s>/g;

/**
 * Recovers the tool calls that a server left in the content of a reply. They count only when nothing but white space and
 * control tokens (or a leaked analysis channel) stands around them: a call inside prose is prose, and the result is
 * undefined. `leaked`: a call that cannot be read, or that has words before or after it in the way of a reply that went
 * wrong; it is not run, and the text must not be accepted as an answer either. Take the reasoning out first: a call in it must not be recovered.
 */
export function recoverTextCalls(text: string): { calls: TextCall[] } | { leaked: true; why: string } | undefined {
  if (isJson(text)) return undefined;
  for (const format of formats) {
    const result = recoverWith(format, text);
    if (result) return result;
  }
  if (hasLeakedChannels(text)) return { leaked: true, why: 'the channels of the reply were left in its text' };
  if (isWrapped(text.trim())) return { leaked: true, why: 'control tokens stand around something that is no call' };
  return undefined;
}

/** The calls of one format, what stands outside them (before the first, between, after the last), and what went wrong. */
interface Collected {
  calls: TextCall[];
  outside: string[];
  first: number;
  why?: string;
}

function collect(format: CallFormat, text: string): Collected | undefined {
  let found = format.next(text, 0);
  if (!found) return undefined;
  const collected: Collected = { calls: [], outside: [], first: found.start };
  let from = 0;
  while (found) {
    collected.outside.push(text.slice(from, found.start));
    if ('why' in found) {
      collected.why = found.why;
      from = brokenEnd(text, found.start);
      break;
    }
    collected.calls.push(...found.calls);
    from = found.end;
    found = format.next(text, from);
  }
  collected.outside.push(text.slice(from));
  return collected;
}

function recoverWith(format: CallFormat, text: string): ReturnType<typeof recoverTextCalls> {
  const collected = collect(format, text);
  if (!collected) return undefined;
  const { calls, outside, first, why } = collected;
  const words = outside.map((part) => !(isBare(part) || format.allows?.(part)));
  const wordsAfter = words.includes(true, 1);
  if (!words[0]) {
    // Words after a call would rest on a result that the model made up.
    if (wordsAfter) return { leaked: true, why: 'words follow a tool call in the text' };
    return why === undefined ? { calls } : { leaked: true, why };
  }
  if (wordsAfter || !(format.special || startsLine(text, first))) return undefined;
  return { leaked: true, why: 'a tool call stands in the text after other words' };
}

/** Where a call that cannot be read ends: at the last closing tag, or with the text. */
function brokenEnd(text: string, start: number): number {
  const closing = /<\/(?:tool_call|function)>|<[|｜]tool[▁_]calls?[▁_](?:section[▁_])?end[|｜]>|<\|call\|>/g;
  closing.lastIndex = start;
  let end = -1;
  while (closing.test(text)) end = closing.lastIndex;
  return end < 0 ? text.length : end;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isBare(text: string): boolean {
  return text.replace(furniture, '').trim() === '';
}

/** Nothing but control tokens, or a text between two of them. */
function isWrapped(text: string): boolean {
  if (text === '') return false;
  return isBare(text) || (/^(?:<tool_call>|<function=|\[TOOL_CALLS\]|<[|｜])/.test(text) && /[>}\]]$/.test(text));
}

function startsLine(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
  return isBare(line);
}
