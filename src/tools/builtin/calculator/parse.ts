import { CalculationError, type Rational } from './rational.ts';
import { type Operator, type Token, tokenize } from './tokens.ts';

export type BinaryOperator = '+' | '-' | '*' | '/' | '^' | 'mod';

/** An expression as a tree; `at` is the 1-based character an error is about. */
export type Node =
  | { type: 'number'; value: Rational }
  | { type: 'constant'; name: string }
  | { type: 'percent' | 'negate' | 'group'; of: Node }
  | { type: 'factorial'; of: Node; at: number }
  | { type: 'binary'; operator: BinaryOperator; left: Node; right: Node; at: number }
  | { type: 'call'; name: string; args: Node[]; at: number };

/** The names the grammar knows. */
export interface Names {
  readonly functions: readonly string[];
  readonly constants: readonly string[];
}

const deepest = 200;
const longest = 2_000;
const infix: ReadonlyMap<string, BinaryOperator> = new Map([
  ['*', '*'],
  ['/', '/'],
  ['mod', 'mod'],
]);

/** The tree of an expression. Throws `CalculationError` for anything outside the grammar; computes nothing. */
export function parse(text: string, names: Names): Node {
  if (text.length > longest)
    throw new CalculationError(
      `the expression is longer than ${longest.toLocaleString('en-US')} characters, the limit`,
    );
  return new Parser(tokenize(text), names).whole();
}

class Parser {
  readonly #tokens: Token[];
  readonly #names: Names;
  #index = 0;
  #depth = 0;

  constructor(tokens: Token[], names: Names) {
    this.#tokens = tokens;
    this.#names = names;
  }

  whole(): Node {
    if (this.#ended()) throw new CalculationError('the expression is empty: write one, for example 2 * 3');
    const node = this.#sum();
    if (!this.#ended()) throw this.#misplaced();
    return node;
  }

  get #token(): Token {
    const last: Token = { type: 'end', text: '', at: 1, end: 0 };
    return this.#tokens[Math.min(this.#index, this.#tokens.length - 1)] ?? last;
  }

  #ended(): boolean {
    return this.#token.type === 'end';
  }

  #take(operator: Operator): boolean {
    if (this.#token.type !== 'operator' || this.#token.text !== operator) return false;
    this.#index += 1;
    return true;
  }

  #sum(): Node {
    let left = this.#product();
    while (true) {
      const at = this.#token.at;
      const operator = this.#take('+') ? '+' : this.#take('-') ? '-' : undefined;
      if (!operator) return left;
      left = { type: 'binary', operator, left, right: this.#product(), at };
    }
  }

  #product(): Node {
    let left = this.#unary();
    let factor = left;
    while (true) {
      const { at, text } = this.#token;
      const operator = infix.get(text) ?? (text === 'of' ? '*' : undefined);
      if (!operator) return left;
      if (text === 'of' && factor.type !== 'percent')
        throw new CalculationError('"of" follows a percentage only, as in 15% of 80; write * to multiply', at);
      this.#index += 1;
      factor = this.#unary();
      left = { type: 'binary', operator, left, right: factor, at };
    }
  }

  #unary(): Node {
    return this.#deeper(() => {
      if (this.#take('-')) return { type: 'negate', of: this.#unary() };
      return this.#take('+') ? this.#unary() : this.#power();
    });
  }

  #power(): Node {
    const left = this.#postfix();
    const at = this.#token.at;
    return this.#take('^') ? { type: 'binary', operator: '^', left, right: this.#unary(), at } : left;
  }

  #postfix(): Node {
    let node = this.#primary();
    while (true) {
      const at = this.#token.at;
      if (this.#take('%')) node = { type: 'percent', of: node };
      else if (this.#take('!')) {
        if (node.type === 'factorial')
          throw new CalculationError('!! is ambiguous: write (3!)! for a factorial of a factorial', at);
        node = { type: 'factorial', of: node, at };
      } else return node;
    }
  }

  #primary(): Node {
    const token = this.#token;
    if (token.type === 'number') {
      this.#index += 1;
      return { type: 'number', value: token.value };
    }
    if (token.type === 'name') return this.#named(token);
    if (!this.#take('(')) throw this.#misplaced();
    const of = this.#sum();
    this.#close(token.at);
    return { type: 'group', of };
  }

  #named(token: Token): Node {
    const { text, at } = token;
    if (this.#names.constants.includes(text)) {
      this.#index += 1;
      return { type: 'constant', name: text };
    }
    if (!this.#names.functions.includes(text)) throw this.#unknown(token);
    this.#index += 1;
    const open = this.#token.at;
    if (!this.#take('(')) throw new CalculationError(`${text} needs its arguments in parentheses: ${text}(…)`, open);
    const args = [this.#sum()];
    while (this.#take(',')) args.push(this.#sum());
    this.#close(open);
    return { type: 'call', name: text, args, at };
  }

  #close(open: number): void {
    if (this.#take(')')) return;
    if (this.#ended())
      throw new CalculationError(`the parenthesis opened at character ${open} is not closed`, this.#token.at);
    throw this.#misplaced();
  }

  #deeper(inner: () => Node): Node {
    this.#depth += 1;
    if (this.#depth > deepest)
      throw new CalculationError(`the expression is nested deeper than ${deepest}, the limit`, this.#token.at);
    const node = inner();
    this.#depth -= 1;
    return node;
  }

  #unknown({ text, at }: Token): CalculationError {
    const { functions, constants } = this.#names;
    const logarithm = text === 'log' ? ' ("log" is ambiguous: write ln for base e, log10 for base 10)' : '';
    return new CalculationError(
      `unknown name '${text}'${logarithm}: the functions are ${functions.join(', ')}; the constants are ${constants.join(', ')}`,
      at,
    );
  }

  #misplaced(): CalculationError {
    const { type, text, at } = this.#token;
    const before = this.#tokens[this.#index - 1];
    if (type === 'end') return new CalculationError('the expression ends where a number is expected', at);
    const operandBefore = before !== undefined && (before.type !== 'operator' || /[)!%]/.test(before.text));
    const operand = type === 'number' || type === 'name' || text === '(';
    if (!operandBefore || !operand)
      return new CalculationError(
        `'${text}' stands where ${operandBefore ? 'an operator or the end' : 'a number, a function or ('} is expected`,
        at,
      );
    return before.text === '%'
      ? new CalculationError('% is percent: write "15% of 80", or mod(17, 5) for the remainder of a division', at)
      : new CalculationError(`an operator is missing before '${text}': write * to multiply`, at);
  }
}
