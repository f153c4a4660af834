import { type EquationToken, equationTokens, type NumberToken } from './equation-tokens.ts';
import { isKnownUnit } from './units.ts';

/** One side of an equation: numbers and the operators between them, as `evaluateExpression` writes them. */
export interface Side {
  pieces: (NumberToken | string)[];
  /** The unit words after its numbers, in order. */
  units: string[];
  text: string;
}

/** A computation a text states: at least one side has an operator. */
export interface Equation {
  left: Side;
  right: Side;
  approximate: boolean;
  /** Said in words (`is`, 为) rather than with a sign. */
  word: boolean;
}

/** A number after one of these is not where an expression starts. */
const leading =
  /^(?:of|than|sqrt|log|ln|lg|sin|cos|tan|exp|root|half|twice|double|triple|average|mean|median|sum|product|factorial|square|cube|between|from|per)$/i;
const approximately = /^(?:about|approximately|approx|roughly|around|nearly|almost|约|大|概)$/i;
const filler = /^(?:exactly|just|only|now|then|thus|共|正|好|只|有)$/i;
const remainder = /^(?:r|rem|remainder|with|余)$/i;
const longestUnit = 6;
const deepest = 50;

/** What a text says of one amount in two units, such as 5 km = 5,000 m: both sides are one number. */
export function conversionsIn(text: string): Equation[] {
  return chainsIn(text).flatMap(({ conversions }) => conversions);
}

/** The equations of a text. What cannot be read for certain (unknown variables, ranges, remainders) is left out. */
export function equationsIn(text: string): Equation[] {
  return chainsIn(text).flatMap(({ equations }) => equations);
}

interface Chain {
  equations: Equation[];
  conversions: Equation[];
  end: number;
}

function chainsIn(text: string): Chain[] {
  const tokens = equationTokens(text);
  const found: Chain[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (!startsExpression(tokens, index)) continue;
    const chain = new Reader(tokens, index).chain();
    found.push(chain);
    index = Math.max(index, chain.end - 1);
  }
  return found;
}

/** What the equations of a text give as results, as written. */
export function statedResults(text: string): string[] {
  return equationsIn(text).flatMap(({ left, right }) => [left, right].filter(isSingle).map((side) => side.text));
}

/** True for a side that is one number. */
export function isSingle(side: Side): boolean {
  return side.pieces.every((piece) => typeof piece !== 'string' || piece === '-') && numbersOf(side).length === 1;
}

/** The numbers of a side. */
export function numbersOf(side: Side): NumberToken[] {
  return side.pieces.filter((piece) => typeof piece !== 'string');
}

function startsExpression(tokens: EquationToken[], index: number): boolean {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (!token || !opensOperand(tokens, index)) return false;
  if (!before || before.type === 'relation') return true;
  if (before.type === 'number' || before.type === 'operator') return before.text === '(';
  // A sign after something unread (a date, code) may be its operator.
  if (before.type === 'other')
    return before.text === '\u0001' ? token.type !== 'operator' : token.spaced || !/[\d.±√]$/.test(before.text);
  const glued = /\p{Script=Latin}/u.test(before.text) && !token.spaced;
  return !glued && !leading.test(before.text);
}

/** True for a number, a parenthesis, a currency sign before a number, and a sign glued to one of them. */
function opensOperand(tokens: EquationToken[], index: number): boolean {
  const token = tokens[index];
  const next = tokens[index + 1];
  if (!token) return false;
  if (token.type === 'number' || token.text === '(') return true;
  if (isCurrency(token)) return next?.type === 'number';
  return (
    token.type === 'operator' && token.operator === '-' && next?.spaced === false && opensOperand(tokens, index + 1)
  );
}

function isCurrency(token: EquationToken | undefined): boolean {
  return token?.type === 'word' && /^(?:[$€£¥₹₩]|US\$?|USD|EUR|GBP|CNY|RMB|JPY|INR)$/i.test(token.text);
}

/** Reads one chain a = b = c from a place in the tokens. */
class Reader {
  readonly #tokens: EquationToken[];
  #index: number;
  #depth = 0;

  constructor(tokens: EquationToken[], index: number) {
    this.#tokens = tokens;
    this.#index = index;
  }

  chain(): Chain {
    const equations: Equation[] = [];
    const conversions: Equation[] = [];
    const start = this.#index;
    let left = this.#side();
    let end = left && !isSingle(left) ? this.#index : start;
    while (left) {
      const relation = this.#relation();
      if (!relation) break;
      const right = this.#side();
      if (!right || !this.#finished()) break;
      const labelled = equations.length === 0 && isSingle(left);
      const single = isSingle(left) && isSingle(right);
      if (!labelled && !single) equations.push({ left, right, ...relation });
      if (single) conversions.push({ left, right, ...relation });
      end = this.#index;
      left = right;
    }
    return { equations, conversions, end };
  }

  #relation(): { approximate: boolean; word: boolean } | undefined {
    const token = this.#tokens[this.#index];
    if (token?.type !== 'relation') return undefined;
    let approximate = token.approximate;
    this.#index += 1;
    for (let next = this.#tokens[this.#index]; next; next = this.#tokens[this.#index]) {
      if (approximately.test(next.text)) approximate = true;
      else if (!filler.test(next.text) && next.text !== '~') break;
      this.#index += 1;
    }
    return { approximate, word: token.word };
  }

  /** Operands and operators as far as they go; undefined when it breaks off after an operator or a parenthesis. */
  #side(): Side | undefined {
    const start = this.#index;
    const side: Side = { pieces: [], units: [], text: '' };
    if (!this.#operand(side)) return undefined;
    while (this.#operator(side)) if (!this.#operand(side)) return undefined;
    side.text = this.#tokens
      .slice(start, this.#index)
      .map((token, place) => (token.spaced && place > 0 ? ' ' : '') + token.text)
      .join('');
    return side;
  }

  #operator(side: Side): boolean {
    const token = this.#tokens[this.#index];
    const next = this.#tokens[this.#index + 1];
    if (token?.type !== 'operator' || token.operator === '(' || token.operator === ')') return false;
    if (token.operator === '!') return false;
    if (token.operator === '-' && token.spaced && next?.spaced && isProse(next)) return false;
    const percent = side.pieces.at(-1);
    if (token.operator === ' of ' && !(typeof percent === 'object' && percent.percent)) return false;
    const compact = /[-/]/.test(token.operator) && !token.spaced && next?.spaced === false;
    side.pieces.push(compact ? token.operator : ` ${token.operator} `);
    this.#index += 1;
    return true;
  }

  #operand(side: Side): boolean {
    const token = this.#tokens[this.#index];
    if (!token) return false;
    if (token.type === 'operator' && (token.operator === '-' || token.operator === '+')) {
      this.#index += 1;
      side.pieces.push(token.operator);
      return this.#tokens[this.#index]?.text !== token.text && this.#operand(side);
    }
    if (isCurrency(token)) {
      side.units.push(token.text);
      this.#index += 1;
      const place = side.pieces.length;
      if (!this.#operand(side)) return false;
      const number = side.pieces[place];
      if (typeof number === 'object') number.unit = token.text;
      return true;
    }
    if (token.text === '(') return this.#group(side);
    if (token.type !== 'number') return false;
    const number = { ...token };
    side.pieces.push(number);
    this.#index += 1;
    if (this.#isFactorial()) {
      side.pieces.push('!');
      this.#index += 1;
    }
    return this.#unit(side, number);
  }

  /** An exclamation mark at a number is a factorial only where the computation goes on. */
  #isFactorial(): boolean {
    const token = this.#tokens[this.#index];
    const next = this.#tokens[this.#index + 1];
    return token?.text === '!' && !token.spaced && (next?.type === 'relation' || next?.type === 'operator');
  }

  #group(side: Side): boolean {
    this.#depth += 1;
    if (this.#depth > deepest) return false;
    this.#index += 1;
    side.pieces.push('(');
    if (!this.#operand(side)) return false;
    while (this.#operator(side)) if (!this.#operand(side)) return false;
    if (this.#tokens[this.#index]?.text !== ')') return false;
    this.#index += 1;
    this.#depth -= 1;
    side.pieces.push(')');
    return this.#unit(side);
  }

  /** The words after a number up to the next operator or relation; false when they look like a variable. */
  #unit(side: Side, number?: NumberToken): boolean {
    const words: string[] = [];
    let place = this.#index;
    for (let token = this.#tokens[place]; token && words.length < longestUnit; token = this.#tokens[place]) {
      const joined = token.text === '/' && words.length > 0 && this.#tokens[place + 1]?.type === 'word';
      if (token.type !== 'word' && !joined) break;
      words.push(token.text);
      place += 1;
    }
    const first = words[0];
    if (first === undefined) return true;
    const han = /\p{Script=Han}/u.test(first);
    const known = isKnownUnit(first) || isKnownUnit(words.join(''));
    if (!known && !han && first.length < 3) return first.length === 2 && this.#tokens[this.#index]?.spaced === true;
    if (first === '的') return false;
    this.#index = place;
    const unit = han ? words.join('') : words.join(' ').replaceAll(' / ', '/');
    side.units.push(unit);
    if (number) number.unit = unit;
    return true;
  }

  /** False when what follows would change the last number: another number, an operator, a remainder, an ellipsis. */
  #finished(): boolean {
    const token = this.#tokens[this.#index];
    const next = this.#tokens[this.#index + 1];
    if (!token || token.type === 'relation') return true;
    if (token.type === 'number') return false;
    if (token.type === 'operator')
      return token.text === ')' || token.text === '(' || token.text === '!' || isProse(next);
    if (token.type === 'word') return !remainder.test(token.text);
    return !/[…±²³]/.test(token.text) && !(token.text === '.' && next?.text === '.');
  }
}

function isProse(token: EquationToken | undefined): boolean {
  return token?.type === 'word' && (token.text.length > 1 || /[aAI\p{Script=Han}]/u.test(token.text));
}
