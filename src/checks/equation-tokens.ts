import { mathText } from './math-text.ts';
import { numberAt } from './numbers.ts';

/** A number of an equation: `plain` has no separators; a scale word (million, 万) or % belongs to it. */
export interface NumberToken {
  type: 'number';
  plain: string;
  scale: number;
  percent: boolean;
  /** The unit at it, where it is part of an equation. */
  unit?: string;
}

/** A piece of text as the search for equations sees it. `spaced`: a blank stands before it. */
export type EquationToken = { text: string; spaced: boolean } & (
  | NumberToken
  | { type: 'operator'; operator: '+' | '-' | '*' | '/' | '^' | '(' | ')' | '!' | ' of ' | ' mod ' }
  | { type: 'relation'; approximate: boolean; word: boolean }
  | { type: 'word' }
  | { type: 'other' }
);

type Operator = Extract<EquationToken, { type: 'operator' }>['operator'];

const scales: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['thousand', 1e3],
  ['million', 1e6],
  ['m', 1e6],
  ['billion', 1e9],
  ['bn', 1e9],
  ['b', 1e9],
  ['trillion', 1e12],
  ['dozen', 12],
  ['千', 1e3],
  ['万', 1e4],
  ['百万', 1e6],
  ['千万', 1e7],
  ['亿', 1e8],
  ['万亿', 1e12],
]);

const signs: ReadonlyMap<string, Operator> = new Map([
  ['+', '+'],
  ['-', '-'],
  ['−', '-'],
  ['–', '-'],
  ['*', '*'],
  ['×', '*'],
  ['·', '*'],
  ['⋅', '*'],
  ['/', '/'],
  ['÷', '/'],
  ['^', '^'],
  ['**', '^'],
  ['(', '('],
  [')', ')'],
  ['!', '!'],
  ['plus', '+'],
  ['minus', '-'],
  ['times', '*'],
  ['multiplied by', '*'],
  ['divided by', '/'],
  ['of', ' of '],
  ['mod', ' mod '],
  ['加', '+'],
  ['加上', '+'],
  ['减', '-'],
  ['减去', '-'],
  ['乘', '*'],
  ['乘以', '*'],
  ['除以', '/'],
]);

const scalePattern =
  /\s?(thousand|million|billion|trillion|dozen|bn)\b|([kK]|[MB](?!\p{L}))(?![\p{L}\d])|(万亿|百万|千万|[万亿]|千(?![克米瓦卡焦帕字赫]))/uy;
const symbol = /!(?!=)|\*\*|[-+−–*×·⋅/÷^()]/y;
const wordOperator =
  /(?:plus|minus|times|multiplied by|divided by|of|mod)\b|(?<=[\d)%元个\s])(?:加上?|减去?|乘以?|除以)(?=[\s\d(¥])/iy;
const relation =
  /(?:==?|≈|≃|≒)(?![=>])|(?:is equal to|equals|equal|is|are|was|were|makes|gives|totals|comes to|amounts to)\b|(?:约等于|等于|共计|合计|总计|结果是|得到|得|是|为)(?=[\s\d约大¥$(-])/iy;
const notRelation = /[<>!≤≥≠~]=|=[<>]|[-–]>|<[-–]/y;
const word = /\p{Script=Latin}[\p{L}\p{N}_'²³]*|[$€£¥₹₩°℃℉]|\p{Script=Han}/uy;

/** The tokens of a text after `mathText`. */
export function equationTokens(text: string): EquationToken[] {
  const source = mathText(text);
  const tokens: EquationToken[] = [];
  let index = 0;
  while (index < source.length) {
    const blank = match(/[ \t\u00a0\u2009\u202f]+/y, source, index) ?? '';
    index += blank.length;
    if (index >= source.length) break;
    const token = tokenAt(source, index, tokens.at(-1));
    const spaced = blank !== '' || index === 0;
    tokens.push({ ...token, spaced });
    index += token.text.length;
  }
  return tokens;
}

type Bare<T> = T extends unknown ? Omit<T, 'spaced'> : never;

function tokenAt(source: string, index: number, before: EquationToken | undefined): Bare<EquationToken> {
  const digits = /\d/.test(source.charAt(index)) || /^\.\d/.test(source.slice(index, index + 2));
  if (digits) return numberToken(source, index);
  const refused = match(notRelation, source, index);
  if (refused) return { type: 'other', text: refused };
  return operatorToken(source, index, before) ?? relationToken(source, index) ?? wordToken(source, index);
}

function numberToken(source: string, index: number): Bare<EquationToken> {
  const number = numberAt(source, index);
  if (!number || /^0\d/.test(number.plain))
    return { type: 'other', text: match(/[\d.,]*\d/y, source, index) ?? source.charAt(index) };
  const exponent = match(/[eE][+-]?\d+(?![\p{L}\d])/uy, source, number.end) ?? '';
  const scaleWord = match(scalePattern, source, number.end + exponent.length) ?? '';
  const end = number.end + exponent.length + scaleWord.length;
  const percent = match(/\s?%/y, source, end) ?? '';
  return {
    type: 'number',
    plain: number.plain + exponent,
    scale: scales.get(scaleWord.trim().toLowerCase()) ?? 1,
    percent: percent !== '',
    text: source.slice(index, end + percent.length),
  };
}

function operatorToken(
  source: string,
  index: number,
  before: EquationToken | undefined,
): Bare<EquationToken> | undefined {
  const raised = before?.type === 'number' ? match(/[²³]/y, source, index) : undefined;
  if (raised) return { type: 'other', text: raised };
  const times = before?.type === 'number' || before?.type === 'word' || /[)\p{No}]$/u.test(before?.text ?? '');
  if (times && match(/[xX](?=\s*[$€£¥(]?\d)/y, source, index))
    return { type: 'operator', operator: '*', text: source.charAt(index) };
  const text = match(symbol, source, index) ?? match(wordOperator, source, index);
  const operator = text && signs.get(text.toLowerCase());
  return text && operator ? { type: 'operator', operator, text } : undefined;
}

function relationToken(source: string, index: number): Bare<EquationToken> | undefined {
  const text = match(relation, source, index);
  if (!text) return undefined;
  return { type: 'relation', approximate: /[≈≃≒]|约/.test(text), word: /\p{L}/u.test(text), text };
}

function wordToken(source: string, index: number): Bare<EquationToken> {
  const text = match(word, source, index);
  return text ? { type: 'word', text } : { type: 'other', text: source.charAt(index) };
}

function match(pattern: RegExp, source: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(source)?.[0];
}
