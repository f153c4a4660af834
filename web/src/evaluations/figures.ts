/** Figures of a report as people read them. What nobody knows is a dash. */
import { count, duration, money, percent } from '../parts/amounts.ts';
import type { Estimate, Share } from './evaluation-shapes.ts';

const unknown = '–';

/** `71.7–98.9 %` */
export function intervalText({ low, high }: Pick<Share, 'low' | 'high'>): string {
  return low === null || high === null ? unknown : `${(low * 100).toFixed(1)}–${percent(high)}`;
}

/** `93.8 % (71.7–98.9 %)` */
export function shareText(share: Share): string {
  return share.rate === null ? unknown : `${percent(share.rate)} (${intervalText(share)})`;
}

/** A difference of shares in points, with its sign: `+12.5 (-12.5 to +37.5)`. */
export function pointsText({ value, low, high }: Estimate): string {
  return value === null || low === null || high === null
    ? unknown
    : `${signed(value)} (${signed(low)} to ${signed(high)})`;
}

function signed(share: number): string {
  const points = (share * 100).toFixed(1);
  return share > 0 ? `+${points}` : points;
}

/** `1.8×` */
export function ratioText(ratio: number | null): string {
  return ratio === null ? unknown : `${ratio.toFixed(ratio < 10 ? 1 : 0)}×`;
}

/** `0.003`, or `< 0.001`. */
export function pText(value: number | null): string {
  if (value === null) return unknown;
  return value < 0.001 ? '< 0.001' : value.toFixed(3);
}

export function amountText(amount: number | null, unit: 'usd' | 'tokens'): string {
  if (amount === null) return unknown;
  return unit === 'usd' ? money(amount) : count(amount);
}

export function timeText(ms: number | null): string {
  return ms === null ? unknown : duration(ms);
}
