import { CalculationError, divide, integer, multiply, type Rational } from './rational.ts';

export type Operator = '+' | '-' | '*' | '/' | '^' | '%' | '!' | '(' | ')' | ',';

/** A piece of an expression; `at` is its 1-based character. */
export type Token =
  | { type: 'number'; value: Rational; text: string; at: number; end: number }
  | { type: 'operator'; text: Operator; at: number; end: number }
  | { type: 'name'; text: string; at: number; end: number }
  | { type: 'end'; text: ''; at: number; end: number };

/** An open parenthesis; in that of a call a comma separates arguments. */
interface Frame {
  call: boolean;
  spaced: boolean;
  grouped: boolean;
}

const spellings: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['✕', '*'],
  ['·', '*'],
  ['⋅', '*'],
  ['∙', '*'],
  ['÷', '/'],
  ['∕', '/'],
  ['−', '-'],
  ['–', '-'],
  ['﹣', '-'],
  ['٫', '.'],
  ['٬', ','],
  ['٪', '%'],
]);

const hints: ReadonlyMap<string, string> = new Map([
  ['=', 'write the expression only, without = and what follows'],
  [':', 'ranges are not part of the grammar; write / to divide'],
  ['[', 'lists and brackets are not part of the grammar; write ( and )'],
  ['{', 'objects and braces are not part of the grammar; write ( and )'],
  ['²', 'write ^2'],
  ['³', 'write ^3'],
  ['√', 'write sqrt(…)'],
  ['"', 'text is not part of the grammar'],
  ["'", 'text is not part of the grammar; write thousands as 1,000 or 1000'],
  ['_', 'write thousands as 1,000 or 1000'],
]);

const currency = /^\p{Sc}$|^元$/u;
const invisible = /^[\p{Cf}\p{Cc}]$/u;

/** The tokens of an expression, `end` last. Throws `CalculationError` that names the character and what is accepted. */
export function tokenize(text: string): Token[] {
  const source = [...text].map(plainCharacter).join('');
  const tokens: Token[] = [];
  const frames: Frame[] = [];
  let index = 0;
  while (index < source.length) {
    const blank = match(/\s+/y, source, index);
    if (blank) {
      index += blank.length;
      continue;
    }
    const inCall = frames.at(-1)?.call ?? false;
    const token = numberAt(source, index, inCall) ?? operatorAt(source, index, tokens.at(-1)) ?? nameAt(source, index);
    if (!token) throw unexpected(source, index);
    if (token.type === 'operator') follow(token, source, { frames, tokens });
    tokens.push(token);
    index = token.end;
  }
  tokens.push({ type: 'end', text: '', at: source.length + 1, end: source.length });
  return tokens;
}

/** Full-width forms, other scripts' digits and typographic operators as ASCII, one character for one. */
function plainCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (/^\p{Nd}$/u.test(character)) return String(digitValue(code));
  // Unsupported characters outside the basic plane become one unit, so that positions count characters.
  return spellings.get(character) ?? (character.length > 1 ? '\ufffd' : character);
}

/** The value of a decimal digit: Unicode keeps the ten digits of a script together, zero first. */
function digitValue(code: number): number {
  if (code < 0x80) return code - 0x30;
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return (code - first) % 10;
}

function match(pattern: RegExp, source: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(source)?.[0];
}

function numberAt(source: string, index: number, inCall: boolean): Token | undefined {
  const digits = match(inCall ? /\.?\d[\d.]*/y : /\.?\d[\d.,]*/y, source, index);
  if (!digits) return undefined;
  const fault = numberFault(digits, inCall);
  if (fault) throw new CalculationError(fault, index + 1);
  const exponent = match(/[eE][+-]?\d+/y, source, index + digits.length) ?? '';
  const end = index + digits.length + exponent.length;
  const power = Number(exponent.slice(1));
  if (Math.abs(power) > 10_000) throw new CalculationError('an exponent is at most 10000, the limit', index + 1);
  const value = scaled(decimal(digits.replaceAll(',', '')), power);
  return { type: 'number', value, text: source.slice(index, end), at: index + 1, end };
}

function numberFault(digits: string, inCall: boolean): string | undefined {
  if (inCall && /^0\d/.test(digits))
    return `'${digits}' after a comma in a call is ambiguous: there a comma separates arguments; write numbers without thousands separators`;
  if (/^(\d+\.?\d*|\.\d+)$/.test(digits) || /^[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(digits)) return undefined;
  if (digits.includes('.') && digits.includes(','))
    return `'${digits}' is ambiguous: write a plain number with a decimal point and no other separators, for example 1234.5`;
  return digits.includes(',')
    ? `'${digits}' is not a number: commas may only separate groups of three digits (12,000) or the arguments of a function; the decimal sign is a point`
    : `'${digits}' has more than one decimal point: write a plain number, for example 1234.5`;
}

function decimal(digits: string): Rational {
  const [whole = '', fraction = ''] = digits.split('.');
  return divide(integer(BigInt(whole + fraction)), integer(10n ** BigInt(fraction.length)));
}

function scaled(value: Rational, power: number): Rational {
  const factor = integer(10n ** BigInt(Math.abs(power)));
  return power < 0 ? divide(value, factor) : multiply(value, factor);
}

function operatorAt(source: string, index: number, before: Token | undefined): Token | undefined {
  const at = index + 1;
  if (source.startsWith('**', index)) return { type: 'operator', text: '^', at, end: index + 2 };
  const times = match(/[xX](?![A-Za-z])/y, source, index);
  if (times && (before?.type === 'number' || before?.text === ')' || before?.text === '!')) {
    if (before.text === '0' && before.end === index)
      throw new CalculationError('hexadecimal numbers are not part of the grammar', at - 1);
    return { type: 'operator', text: '*', at, end: index + 1 };
  }
  const sign = match(/[-+*/^%!(),]/y, source, index);
  // The pattern matches exactly the members of Operator.
  return sign ? { type: 'operator', text: sign as Operator, at, end: index + 1 } : undefined;
}

function nameAt(source: string, index: number): Token | undefined {
  const name = match(/π|[A-Za-z][A-Za-z0-9]*/y, source, index);
  const text = name === 'π' ? 'pi' : name?.toLowerCase();
  return name && text ? { type: 'name', text, at: index + 1, end: index + name.length } : undefined;
}

/** Keeps track of calls, and refuses one in which some commas look like thousands separators and others do not. */
function follow(token: Token, source: string, context: { frames: Frame[]; tokens: Token[] }): void {
  const { frames, tokens } = context;
  if (token.text === '(') frames.push({ call: opensCall(tokens), spaced: false, grouped: false });
  if (token.text === ')') frames.pop();
  const frame = frames.at(-1);
  if (token.text !== ',' || !frame?.call) return;
  const around = source.slice(Math.max(0, token.at - 2), token.end + 4);
  if (/\s/.test(source.charAt(token.end))) frame.spaced = true;
  else if (/^\d,\d{3}(?!\d)/.test(around)) frame.grouped = true;
  if (frame.spaced && frame.grouped)
    throw new CalculationError(
      'the commas of this call are ambiguous: they separate arguments; write numbers without thousands separators',
      token.at,
    );
}

/** True when the tokens end in a function name; `mod` after an operand and `of` are operators. */
function opensCall(tokens: Token[]): boolean {
  const [operand, name] = [tokens.at(-2), tokens.at(-1)];
  if (name?.type !== 'name' || name.text === 'of') return false;
  return name.text !== 'mod' || operand === undefined || (operand.type === 'operator' && !/[)!%]/.test(operand.text));
}

function unexpected(source: string, index: number): CalculationError {
  const character = source.charAt(index);
  return new CalculationError(`unexpected ${named(character)}: ${hintFor(character)}`, index + 1);
}

function named(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return invisible.test(character) ? `invisible character U+${code}` : `'${character}'`;
}

function hintFor(character: string): string {
  if (currency.test(character)) return 'currency signs and units are not part of the grammar; write numbers only';
  return hints.get(character) ?? 'accepted are numbers, + - * / ^ % ! ( ), "of", "mod", functions and constants';
}
