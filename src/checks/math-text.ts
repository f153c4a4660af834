import { asciiDigits } from './numbers.ts';

/** Stands where something was that is no arithmetic: an equation never reaches across it. */
const barrier = ' \u0001 ';

const latex: readonly [RegExp, string][] = [
  [/\\(?:times|cdot)\b/g, '×'],
  [/\\div\b/g, '÷'],
  [/\\approx\b/g, '≈'],
  [/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '(($1)/($2))'],
  [/\\(?:boxed|text|mathrm|mathbf|mathit)\s*\{([^{}]*)\}/g, ' $1 '],
  [/\\(?:left|right)\b|\\[,;:! ]|\\[()[\]]/g, ' '],
  [/\\([%$])/g, '$1'],
  [/\{,\}/g, ','],
  [/\^\{([^{}]*)\}/g, '^($1)'],
];

/**
 * A text made ready for the search for equations: code, links' addresses, dates, times and footnotes are barriers, Markdown
 * and LaTeX are read as what they show, and a line that goes on with = is joined to the one before.
 */
export function mathText(text: string): string {
  let plain = asciiDigits(text)
    .replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, barrier)
    .replace(/`([^`\n]*)`/g, (_, code: string) => (/^[\d\s.,+\-−*/×÷^%()=≈$€£¥]+$/.test(code) ? code : barrier))
    .replace(/\]\([^)\s]*\)/g, ']')
    .replace(/\b(?:https?|ftp):\/\/\S+|\bwww\.\S+/gi, barrier);
  for (const [pattern, shown] of latex) plain = plain.replace(pattern, shown);
  return withoutMarkers(plain)
    .replace(/(?<![\d.]|\d[-/+*])\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d|[-/+*]\d)/g, barrier)
    .replace(/(?<![\d.]|\d[-/+*])\d{1,2}([-/.])\d{1,2}\1\d{2,4}(?!\d|[-/+*]\d)/g, barrier)
    .replace(/\d+:\d+(?::\d+)?/g, barrier)
    .replace(/\[\^?\d+\]/g, ' ')
    .replace(/(?<![ \t])[ \t]*\n\s*(?=[=≈])/g, ' ');
}

/** Without list markers, headings and emphasis; an asterisk between two operands stays. */
function withoutMarkers(text: string): string {
  return text
    .replace(/^[ \t]*(?:>[ \t]*)*(?:[-*+•–][ \t]+|\d{1,3}[.)、][ \t]+|#{1,6}[ \t]+)/gm, '')
    .replace(/\*{1,3}/g, (stars, offset: number, whole: string) => (isOperator(stars, offset, whole) ? stars : ''))
    .replace(/(?<![\p{L}\p{N}])_+(?=\d)|(?<=[\d%])_+(?![\p{L}\p{N}])/gu, '');
}

function isOperator(stars: string, offset: number, whole: string): boolean {
  const before = /([^ \t])([ \t]{0,3})$/.exec(whole.slice(Math.max(0, offset - 4), offset));
  const after = /^([ \t]{0,3})([^ \t])/.exec(whole.slice(offset + stars.length, offset + stars.length + 4));
  const operands = /[\d)%\p{L}]/u.test(before?.[1] ?? '') && /[\d($€£¥]/.test(after?.[2] ?? '');
  return operands && (before?.[2] === '') === (after?.[1] === '');
}
