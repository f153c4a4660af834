import type * as Plot from '@observablehq/plot';
import type { Share } from '../evaluation.ts';

/** What the charts use of the library. */
export type Library = Pick<typeof Plot, 'line' | 'ruleX' | 'ruleY' | 'dot' | 'text' | 'barX' | 'stackX'>;

/** Below this width in pixels names stand above their rows instead of beside them. */
export const narrow = 520;

/** Characters of a name at most. */
export const longestName = 28;

/** The rates that hold all intervals, in whole tens of percent. */
export function rateDomain(shares: readonly Share[]): [number, number] {
  const low = Math.floor(Math.min(...shares.map((share) => share.low)) * 10 - 0.2) / 10;
  const high = Math.ceil(Math.max(...shares.map((share) => share.high)) * 10 + 0.2) / 10;
  return [Math.max(0, low), Math.min(1, high)];
}

/** Colours as they are, where the library would look for a scale. */
export function literal<Row>(colour: (row: Row) => string): { value: (row: Row) => string; scale: null } {
  return { value: colour, scale: null };
}
