import { decimalLogarithm, e, exponential, logarithm, pi, squareRoot } from './irrational.ts';
import {
  absolute,
  add,
  CalculationError,
  ceiling,
  compare,
  divide,
  floor,
  integer,
  isInteger,
  modulo,
  type Rational,
  round,
  zero,
} from './rational.ts';

interface Signature {
  readonly least: number;
  readonly most: number;
  apply(first: Rational, ...others: Rational[]): Rational;
}

function unary(apply: (value: Rational) => Rational): Signature {
  return { least: 1, most: 1, apply };
}

function variadic(apply: (values: Rational[]) => Rational): Signature {
  return { least: 1, most: Number.POSITIVE_INFINITY, apply: (...values) => apply(values) };
}

function total(values: Rational[]): Rational {
  return values.reduce(add, zero);
}

function roundTo(value: Rational, decimals: Rational = zero): Rational {
  const count = Number(decimals.n / decimals.d);
  if (!isInteger(decimals) || Math.abs(count) > 100)
    throw new CalculationError('the second argument of round is a number of decimals: an integer from -100 to 100');
  return round(value, count);
}

const signatures: ReadonlyMap<string, Signature> = new Map([
  ['sqrt', unary(squareRoot)],
  ['abs', unary(absolute)],
  ['round', { least: 1, most: 2, apply: roundTo }],
  ['floor', unary(floor)],
  ['ceil', unary(ceiling)],
  ['min', variadic((values) => values.reduce((a, b) => (compare(b, a) < 0 ? b : a)))],
  ['max', variadic((values) => values.reduce((a, b) => (compare(b, a) > 0 ? b : a)))],
  ['sum', variadic(total)],
  ['avg', variadic((values) => divide(total(values), integer(BigInt(values.length))))],
  ['mod', { least: 2, most: 2, apply: (a: Rational, b: Rational = zero) => modulo(a, b) }],
  ['ln', unary(logarithm)],
  ['log10', unary(decimalLogarithm)],
  ['exp', unary(exponential)],
]);

/** The functions of the calculator. */
export const functionNames: readonly string[] = [...signatures.keys()];

/** The constants of the calculator. */
export const constants: ReadonlyMap<string, () => Rational> = new Map([
  ['pi', pi],
  ['e', e],
]);

/** The value of a call. Throws `CalculationError` for a wrong number of arguments or one outside the domain. */
export function applyFunction(name: string, args: Rational[]): Rational {
  const signature = signatures.get(name);
  const [first, ...others] = args;
  if (!signature || !first) throw new CalculationError(`there is no function '${name}' of ${args.length} arguments`);
  if (args.length < signature.least || args.length > signature.most)
    throw new CalculationError(
      `${name} takes ${argumentCount(signature)}, not ${args.length}: in a call a comma separates arguments, so numbers there are written without thousands separators`,
    );
  return signature.apply(first, ...others);
}

function argumentCount({ least, most }: Signature): string {
  if (least !== most) return `${least} or ${most} arguments`;
  return most === 1 ? '1 argument' : `${most} arguments`;
}
