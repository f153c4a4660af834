/** Figures as a sentence says them. */
import type { Estimate } from '../evaluation.ts';

/** A difference of shares in percentage points, with its interval: `+3.8 points (1.2 to 6.3)`. */
export function points(difference: Estimate | number): string {
  if (typeof difference === 'number') return `${signed(difference)} points`;
  return `${signed(difference.value)} points (${plain(difference.low)} to ${plain(difference.high)})`;
}

/** A ratio: `2.4 times`. */
export function times(ratio: number): string {
  return Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 1 : 0)} times` : 'an unknown multiple of';
}

function signed(share: number): string {
  const text = plain(share);
  return share > 0 ? `+${text}` : text;
}

function plain(share: number): string {
  const text = (share * 100).toFixed(1);
  return text === '-0.0' ? '0.0' : text;
}

/** `940`, `129,976`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
