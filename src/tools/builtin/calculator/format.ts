import { bitLength, magnitude, type Rational } from './rational.ts';

/** Significant digits of a value that is rounded. */
const shownDigits = 20;
/** Significant digits up to which a terminating decimal is shown in full. */
const fullDigits = 50;

/**
 * A value as text. Exact integers and terminating decimals of up to 50 significant digits are shown in full; everything
 * else is rounded to 20 significant digits, halves away from zero, and is not `exact`. Rounded values from 10^21 or
 * under 10^-20 are written as 1.25e30.
 */
export function formatRational(value: Rational): { value: string; exact: boolean } {
  const sign = value.n < 0n ? '-' : '';
  const n = magnitude(value.n);
  if (value.exact) {
    const full = value.d === 1n ? n.toString() : terminating(n, value.d);
    if (full !== undefined) return { value: sign + full, exact: true };
  }
  const shown = n === 0n ? '0' : rounded(n, value.d);
  return { value: shown === '0' ? shown : sign + shown, exact: false };
}

function terminating(n: bigint, d: bigint): string | undefined {
  let rest = d;
  let fives = 0;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  const twos = bitLength(rest) - 1;
  if (rest !== 1n << BigInt(twos)) return undefined;
  const decimals = Math.max(fives, twos);
  const digits = ((n * 10n ** BigInt(decimals)) / d).toString();
  if (digits.length > fullDigits) return undefined;
  return decimals > fullDigits ? scientific(digits, digits.length - 1 - decimals) : pointed(digits, decimals);
}

function rounded(n: bigint, d: bigint): string {
  const estimate = Math.floor((bitLength(n) - bitLength(d)) / Math.log2(10));
  const { digits, decimals } = cut(n, d, shownDigits - estimate - 1);
  const exponent = digits.length - 1 - decimals;
  return exponent > shownDigits || exponent < -shownDigits ? scientific(digits, exponent) : pointed(digits, decimals);
}

/** The first 20 digits of n / d, rounded, with how many of them are decimals (negative: zeros that follow). */
function cut(n: bigint, d: bigint, decimals: number): { digits: string; decimals: number } {
  const scale = 10n ** BigInt(Math.abs(decimals));
  const [top, bottom] = decimals < 0 ? [n, d * scale] : [n * scale, d];
  const digits = ((2n * top + bottom) / (2n * bottom)).toString();
  // The estimate of the size is one off at times, and 9.99 rounds up to one digit more.
  if (digits.length === shownDigits) return { digits, decimals };
  return cut(n, d, decimals + (digits.length > shownDigits ? -1 : 1));
}

function pointed(digits: string, decimals: number): string {
  if (decimals <= 0) return digits + '0'.repeat(-decimals);
  const padded = digits.padStart(decimals + 1, '0');
  return `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`.replace(/\.?0+$/, '');
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.slice(1).replace(/0+$/, '');
  return `${digits.charAt(0)}${fraction && `.${fraction}`}e${exponent}`;
}
