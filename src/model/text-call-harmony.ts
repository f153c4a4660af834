import { bareName, type CallFormat, readInput } from './text-call-formats.ts';

const opening =
  /(?:<\|start\|>)?(?:assistant)?\s{0,4}(?:<\|channel\|>)?\s{0,4}(?:commentary|analysis|assistant)\s{1,4}$/;
const header =
  /to=([\w.-]+)\s{0,4}(?:<\|channel\|>\s{0,4}(?:commentary|analysis)\s{0,4})?(?:<\|constrain\|>\s{0,4})?(?:json|code)?\s{0,4}(?:<\|message\|>)?(?=\s{0,9}\{|$|<)/y;

/**
 * Harmony (gpt-oss): `<|channel|>commentary to=functions.name<|message|>{…}<|call|>`, and the same after a server has
 * dropped the tokens: `assistantcommentary to=functions.name json{…}`. The analysis channel may stand beside a call.
 */
export const harmony: CallFormat = {
  special: true,
  next(text, from) {
    for (let at = text.indexOf('to=', from); at >= 0; at = text.indexOf('to=', at + 1)) {
      const before = opening.exec(text.slice(Math.max(from, at - 60), at));
      header.lastIndex = at;
      const tool = before && header.exec(text)?.[1];
      if (!before || !tool) continue;
      const start = at - before[0].length;
      const read = readInput(text, header.lastIndex);
      if (!read.ok) return { start, why: read.why };
      return { start, end: read.end, calls: [{ tool: bareName(tool), input: read.value, format: 'harmony' }] };
    }
    return undefined;
  },
  allows: (outside) => /^\s*(?:<\|start\|>)?(?:assistant)?\s{0,4}(?:<\|channel\|>)?analysis/.test(outside),
};

/** True for a reply whose channels were left in its text, with or without their tokens. */
export function hasLeakedChannels(text: string): boolean {
  if (/^\s*(?:<\|start\|>)?(?:assistant)?<\|channel\|>(?:analysis|commentary|final)/.test(text)) return true;
  return /^\s*analysis(?=[A-Z])/.test(text) && /assistant(?:final|commentary|analysis)/.test(text);
}
