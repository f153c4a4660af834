/**
 * Functions whose results are mostly irrational, by integer arithmetic on numbers scaled by 10^120.
 * An exact result is found where one exists (sqrt(16), log10(1000), 8^(1/3)); all else is inexact.
 */
import {
  bitLength,
  CalculationError,
  compare,
  digitLimit,
  divide,
  floor,
  integer,
  isInteger,
  magnitude,
  multiply,
  one,
  type Rational,
  rational,
  subtract,
  zero,
} from './rational.ts';

const places = 120n;
const unit = 10n ** places;
const bitsPerDigit = Math.log2(10);
const largestExponent = 1_000_000_000_000n;
const largestRoot = 100n;
/** In bits; the roots of longer numbers cost too much to be tried. */
const longestRadicand = 3_300;

/** The scaled series of atanh(1 / k), or with alternating signs of atan(1 / k). */
function inverseTangent(k: bigint, sign: 1n | -1n): bigint {
  let power = unit / k;
  let sum = power;
  for (let odd = 3n; power !== 0n; odd += 2n) {
    power = (sign * power) / (k * k);
    sum += power / odd;
  }
  return sum;
}

/** The numbers below take as long to compute as many modules to load, and most programs ask for none. */
function once<T>(compute: () => T): () => T {
  let computed: T | undefined;
  return () => {
    computed ??= compute();
    return computed;
  };
}

const naturalTen = once(() => 6n * inverseTangent(3n, 1n) + 2n * inverseTangent(9n, 1n));

function tenLogarithm(): Rational {
  return { n: naturalTen(), d: unit, exact: false };
}

/** The ratio of a circle's circumference to its diameter (Machin's formula). */
export const pi: () => Rational = once(() =>
  rational(16n * inverseTangent(5n, -1n) - 4n * inverseTangent(239n, -1n), unit, false),
);
/** The base of the natural logarithm. */
export const e: () => Rational = once(() => exponential(one));

/** The largest integer whose k-th power is not above n (Newton's method); n is not negative, k at least 2. */
function integerRoot(n: bigint, k: bigint): bigint {
  if (n < 2n) return n;
  let guess = 1n << (BigInt(bitLength(n)) / k + 1n);
  while (true) {
    const next = ((k - 1n) * guess + n / guess ** (k - 1n)) / k;
    if (next >= guess) return guess;
    guess = next;
  }
}

function exactRoot(a: Rational, k: bigint): Rational | undefined {
  if (!a.exact || k > largestRoot || (k > 2n && bitLength(a.n) > longestRadicand)) return undefined;
  const [n, d] = [integerRoot(a.n, k), integerRoot(a.d, k)];
  return n ** k === a.n && d ** k === a.d ? { n, d, exact: true } : undefined;
}

/** The square root. Throws `CalculationError` for a negative value. */
export function squareRoot(a: Rational): Rational {
  if (a.n < 0n) throw new CalculationError('the square root of a negative number is not a real number');
  if (a.n === 0n) return a;
  const exact = exactRoot(a, 2n);
  if (exact) return exact;
  // Scaling by an even power of ten gives the root 120 digits whatever the size of the value.
  const size = Math.trunc((bitLength(a.n) - bitLength(a.d)) / bitsPerDigit / 2);
  const shift = places - BigInt(size);
  return shift >= 0n
    ? rational(integerRoot((a.n * 10n ** (2n * shift)) / a.d, 2n), 10n ** shift, false)
    : rational(integerRoot(a.n / (a.d * 10n ** (-2n * shift)), 2n) * 10n ** -shift, 1n, false);
}

/** e^a. Throws `CalculationError` beyond the limits. */
export function exponential(a: Rational): Rational {
  if (a.n === 0n) return { ...one, exact: a.exact };
  if (compare(a, integer(24_000n)) > 0 || compare(a, integer(-24_000n)) < 0)
    throw new CalculationError(`exp of this value passes 10^${digitLimit} or 10^-${digitLimit}, the limits`);
  const tens = floor(divide(a, tenLogarithm())).n;
  const rest = subtract(a, multiply(integer(tens), tenLogarithm()));
  const scaled = (rest.n * unit) / rest.d;
  let term = unit;
  let sum = unit;
  for (let k = 1n; term !== 0n; k += 1n) {
    term = (term * scaled) / (unit * k);
    sum += term;
  }
  return tens < 0n ? rational(sum, unit * 10n ** -tens, false) : rational(sum * 10n ** tens, unit, false);
}

/** The natural logarithm. Throws `CalculationError` unless the value is positive. */
export function logarithm(a: Rational): Rational {
  if (a.n <= 0n) throw new CalculationError('the logarithm is defined for positive numbers only');
  if (compare(a, one) === 0) return { ...zero, exact: a.exact };
  const ratio = rational(a.n - a.d, a.n + a.d, false);
  // Near 1 the fixed point would have no digits left; there 2 * atanh(z) is 2z + 2z^3/3 to far more than is shown.
  if (magnitude(ratio.n) * 10n ** 30n < ratio.d) {
    const cube = multiply(ratio, multiply(ratio, ratio));
    return rational(6n * ratio.n * cube.d + 2n * cube.n * ratio.d, 3n * ratio.d * cube.d, false);
  }
  const tens = BigInt(Math.round((bitLength(a.n) - bitLength(a.d)) / bitsPerDigit));
  let scaled = tens < 0n ? (a.n * unit * 10n ** -tens) / a.d : (a.n * unit) / (a.d * 10n ** tens);
  const halvings = 12n;
  for (let count = 0n; count < halvings; count += 1n) scaled = integerRoot(scaled * unit, 2n);
  let power = ((scaled - unit) * unit) / (scaled + unit);
  const square = (power * power) / unit;
  let sum = power;
  for (let odd = 3n; power !== 0n; odd += 2n) {
    power = (power * square) / unit;
    sum += power / odd;
  }
  return rational(2n ** (halvings + 1n) * sum + tens * naturalTen(), unit, false);
}

/** The logarithm to base 10, exact for powers of ten. */
export function decimalLogarithm(a: Rational): Rational {
  const tens = a.exact && (powerOfTen(a.n, a.d) ?? powerOfTen(a.d, a.n));
  if (typeof tens === 'number') return integer(BigInt(a.d === 1n ? tens : -tens));
  return divide(logarithm(a), tenLogarithm());
}

function powerOfTen(n: bigint, other: bigint): number | undefined {
  const digits = n.toString();
  return other === 1n && /^10*$/.test(digits) ? digits.length - 1 : undefined;
}

/** base^exponent, with 0^0 = 1. Throws `CalculationError` where there is no real value or beyond the limits. */
export function power(base: Rational, exponent: Rational): Rational {
  if (isInteger(exponent)) return integerPower(base, exponent.n / exponent.d, exponent.exact);
  if (base.n < 0n) throw new CalculationError('a negative number to a fractional power is not a real number');
  if (base.n === 0n) return zeroPower(exponent.n > 0n, base);
  const root = exponent.exact ? exactRoot(base, exponent.d) : undefined;
  return root ? integerPower(root, exponent.n, true) : exponential(multiply(exponent, logarithm(base)));
}

function zeroPower(positive: boolean, base: Rational): Rational {
  if (!positive) throw new CalculationError('zero to a negative power is a division by zero');
  return base;
}

function integerPower(base: Rational, exponent: bigint, exact: boolean): Rational {
  if (exponent === 0n) return { ...one, exact: exact && base.exact };
  if (base.n === 0n) return zeroPower(exponent > 0n, base);
  if (exponent < 0n) return integerPower(divide(one, base), -exponent, exact);
  if (base.d === 1n && magnitude(base.n) === 1n) return exponent % 2n === 0n ? { ...base, n: 1n } : base;
  const size = Number(exponent) * logarithmSize(base);
  if (size > digitLimit + 1)
    throw new CalculationError(
      `the power would have about ${readable(size)} digits; the limit is ${digitLimit.toLocaleString('en-US')}`,
    );
  if (-size > digitLimit + 1)
    throw new CalculationError(`the power would be nearer to 0 than 10^-${digitLimit}, the limit`);
  if (exponent > largestExponent) throw new CalculationError('the exponent is above 10^12, the limit');
  return bySquaring(base, exponent, exact);
}

/** log10 |a|, near enough to foresee the size of a power. */
function logarithmSize(a: Rational): number {
  return integerSize(magnitude(a.n)) - integerSize(a.d);
}

function integerSize(n: bigint): number {
  const beyond = Math.max(0, bitLength(n) - 1_000);
  return Math.log10(Number(n >> BigInt(beyond))) + beyond / bitsPerDigit;
}

function readable(size: number): string {
  return size < 1e15 ? Math.round(size).toLocaleString('en-US') : '10^15 or more';
}

function bySquaring(base: Rational, exponent: bigint, exact: boolean): Rational {
  let result: Rational = { ...one, exact };
  for (const bit of exponent.toString(2)) {
    result = multiply(result, result);
    if (bit === '1') result = multiply(result, base);
  }
  return result;
}

/** n! of a non-negative integer up to 170. Throws `CalculationError` for anything else. */
export function factorial(a: Rational): Rational {
  if (!isInteger(a) || a.n < 0n) throw new CalculationError('a factorial needs a non-negative integer, for example 5!');
  const n = a.n / a.d;
  if (n > 170n) throw new CalculationError('a factorial is computed up to 170!, the limit');
  let product = 1n;
  for (let factor = 2n; factor <= n; factor += 1n) product *= factor;
  return { n: product, d: 1n, exact: a.exact };
}
