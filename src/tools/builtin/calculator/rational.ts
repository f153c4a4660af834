/**
 * Numbers of the calculator: fractions of two BigInts.
 *
 * 1. `d` is positive. An exact value is the number itself, in lowest terms, with at most 1,000 digits in `d`.
 * 2. An inexact value carries 80 digits, four times what is shown. A difference that cancels to less than 10^-40 of its
 *    operands is zero, so that what is shown stays right.
 * 3. No value is as large as 10^10000 or as small as 10^-10000, and nothing is computed on the way that is much longer.
 */

/** A value and whether it is the number itself (`exact`) or near it. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
  readonly exact: boolean;
}

/** Why an expression has no value. `at` is the 1-based character it is about, once known. */
export class CalculationError extends Error {
  override readonly name = 'CalculationError';
  readonly at: number | undefined;
  constructor(message: string, at?: number) {
    super(message);
    this.at = at;
  }
}

/** The most digits a value may have before or after its decimal point. */
export const digitLimit = 10_000;
/** The digits an inexact value carries. */
const workingDigits = 80;

const bitsPerDigit = Math.log2(10);
const bitLimit = digitLimit * bitsPerDigit;
const denominatorBits = 1_000 * bitsPerDigit;
const cancelled = 10n ** 40n;

export const zero: Rational = { n: 0n, d: 1n, exact: true };
export const one: Rational = { n: 1n, d: 1n, exact: true };

/** An exact integer. */
export function integer(n: bigint): Rational {
  return { n, d: 1n, exact: true };
}

/** The absolute value of a BigInt. */
export function magnitude(n: bigint): bigint {
  return n < 0n ? -n : n;
}

/** The length of |n| in bits; 0 has none. */
export function bitLength(n: bigint): number {
  if (n === 0n) return 0;
  const hex = magnitude(n).toString(16);
  return hex.length * 4 - (Math.clz32(Number.parseInt(hex.charAt(0), 16)) - 28);
}

/** `n / d` brought to the form the invariants ask for. Throws `CalculationError` beyond the limits; `d` is not 0. */
export function rational(n: bigint, d: bigint, exact: boolean): Rational {
  if (n === 0n) return { n, d: 1n, exact };
  if (d < 0n) return rational(-n, -d, exact);
  const size = bitLength(n) - bitLength(d);
  if (size > bitLimit) throw new CalculationError(`the value has more than ${text(digitLimit)} digits, the limit`);
  if (size < -bitLimit) throw new CalculationError(`the value is nearer to 0 than 10^-${digitLimit}, the limit`);
  if (!exact) return approximation(n, d);
  if (d === 1n) return { n, d, exact };
  // The greatest common divisor of two very long numbers is what would cost most here.
  if (bitLength(n) > denominatorBits && bitLength(d) > denominatorBits)
    return n % d === 0n ? integer(n / d) : approximation(n, d);
  const common = greatestCommonDivisor(magnitude(n), d);
  const reduced = d / common;
  return bitLength(reduced) > denominatorBits ? approximation(n, d) : { n: n / common, d: reduced, exact };
}

function approximation(n: bigint, d: bigint): Rational {
  const size = Math.trunc((bitLength(n) - bitLength(d)) / bitsPerDigit);
  const shift = workingDigits - size;
  return shift >= 0
    ? { n: (n * 10n ** BigInt(shift)) / d, d: 10n ** BigInt(shift), exact: false }
    : { n: (n / (d * 10n ** BigInt(-shift))) * 10n ** BigInt(-shift), d: 1n, exact: false };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

function text(count: number): string {
  return count.toLocaleString('en-US');
}

/** The sum. */
export function add(a: Rational, b: Rational): Rational {
  const sum = rational(a.n * b.d + b.n * a.d, a.d * b.d, a.exact && b.exact);
  return !sum.exact && vanishes(sum, a) ? { ...zero, exact: false } : sum;
}

/** The number with the other sign. */
export function negate(a: Rational): Rational {
  return { ...a, n: -a.n };
}

/** The difference. */
export function subtract(a: Rational, b: Rational): Rational {
  return add(a, negate(b));
}

/** The product. */
export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.n * b.n, a.d * b.d, a.exact && b.exact);
}

/** The quotient. Throws `CalculationError` for a divisor of 0. */
export function divide(a: Rational, b: Rational): Rational {
  if (b.n === 0n) throw new CalculationError('division by zero has no value');
  return rational(a.n * b.d, a.d * b.n, a.exact && b.exact);
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** |a|. */
export function absolute(a: Rational): Rational {
  return a.n < 0n ? negate(a) : a;
}

/** True when the value is an integer. */
export function isInteger(a: Rational): boolean {
  return a.n % a.d === 0n;
}

/** The remainder with the sign of the divisor: a - b * floor(a / b). */
export function modulo(a: Rational, b: Rational): Rational {
  if (b.n === 0n) throw new CalculationError('the remainder of a division by zero has no value');
  return subtract(a, multiply(b, floor(divide(a, b))));
}

/** The greatest integer that is not above the value. */
export function floor(a: Rational): Rational {
  const near = nearInteger(a);
  return near ?? integer(floorOf(a.n, a.d));
}

/** The least integer that is not below the value. */
export function ceiling(a: Rational): Rational {
  return negate(floor(negate(a)));
}

/** The value rounded to so many decimals (negative: tens, hundreds …), halves away from zero. */
export function round(a: Rational, decimals: number): Rational {
  const power = 10n ** BigInt(Math.abs(decimals));
  const scale = decimals < 0 ? { n: 1n, d: power, exact: true } : integer(power);
  const half: Rational = { n: 1n, d: 2n, exact: true };
  const scaled = floor(add(multiply(absolute(a), scale), half));
  const rounded = divide(scaled, scale);
  return a.n < 0n ? negate(rounded) : rounded;
}

/** The integer an inexact value cannot be told from. */
function nearInteger(a: Rational): Rational | undefined {
  if (a.exact) return undefined;
  const nearest = floorOf(2n * a.n + a.d, 2n * a.d);
  const gap = { n: a.n - nearest * a.d, d: a.d, exact: false };
  return vanishes(gap, a) || gap.n === 0n ? { n: nearest, d: 1n, exact: false } : undefined;
}

/** True when `rest` is under 10^-40 of `from`. */
function vanishes(rest: Rational, from: Rational): boolean {
  return magnitude(rest.n) * cancelled * from.d < magnitude(from.n) * rest.d;
}

function floorOf(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n < 0n && quotient * d !== n ? quotient - 1n : quotient;
}
