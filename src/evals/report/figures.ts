/** Numbers as a reader of a report wants them. What is not known is a dash, never a zero. */
import type { Estimate, Share } from '../evaluation.ts';

const unknown = '–';

/** `0.463` as `46.3 %`; less than all is never shown as all, more than none never as none. */
export function percent(rate: number, digits = 1): string {
  if (!Number.isFinite(rate)) return unknown;
  if (rate === 0 || rate === 1) return `${rate * 100} %`;
  const text = (rate * 100).toFixed(digits);
  const least = 10 ** -digits;
  if (Number(text) === 0) return `<${least.toFixed(digits)} %`;
  if (Number(text) === 100) return `>${(100 - least).toFixed(digits)} %`;
  return `${text} %`;
}

/** A share with its interval: `46 % (40–52)`. */
export function shareText({ of, rate, low, high }: Share): string {
  if (of === 0 || !Number.isFinite(rate)) return unknown;
  return `${percent(rate, 0)} (${Math.round(low * 100)}–${Math.round(high * 100)})`;
}

/** A difference of shares: `+12.5 points`. */
export function points(difference: number): string {
  return Number.isFinite(difference) ? `${signed(difference)} points` : unknown;
}

/** A difference of shares with its interval: `+12.5 points (+6.1 to +18.9)`. */
export function pointsText({ value, low, high }: Estimate): string {
  if (!Number.isFinite(value)) return unknown;
  return `${signed(value)} points (${signed(low)} to ${signed(high)})`;
}

/** The same without its unit, for a column that names it: `+12.5 (+6.1 to +18.9)`. */
export function signedText({ value, low, high }: Estimate): string {
  return Number.isFinite(value) ? `${signed(value)} (${signed(low)} to ${signed(high)})` : unknown;
}

function signed(difference: number): string {
  const text = Math.abs(difference * 100).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return `${difference < 0 ? '−' : '+'}${text}`;
}

/** USD with two digits that count: `$0.0012`, `$0.46`, `$12.30`. */
export function money(usd: number): string {
  if (!Number.isFinite(usd)) return unknown;
  if (usd === 0) return '$0';
  if (usd < 0.000_001) return '<$0.000001';
  if (usd >= 1) return `$${grouped(usd.toFixed(2))}`;
  const digits = Math.min(7, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(Math.max(2, digits))}`;
}

/** `240 ms`, `2.4 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return unknown;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `4210` as `4,210`. */
export function count(value: number): string {
  return Number.isFinite(value) ? grouped(value.toFixed(0)) : unknown;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}

/** A mean of small counts: `3.4`. */
export function mean(value: number): string {
  return Number.isFinite(value) ? value.toFixed(1) : unknown;
}

/** A score from 0 to 1: `0.46`. */
export function score(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : unknown;
}

/** How many times as much: `1.8×`. */
export function ratio(value: number): string {
  if (!Number.isFinite(value)) return unknown;
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(value < 0.1 ? 2 : 1)}×`;
}

/** `p = 0.03`, `p < 0.001`. */
export function pText(value: number): string {
  if (!Number.isFinite(value)) return `p ${unknown}`;
  if (value < 0.001) return 'p < 0.001';
  return `p = ${value < 0.1 ? value.toFixed(3) : value.toFixed(2)}`;
}

/** `1 task`, `2 tasks`. */
export function plural(value: number, noun: string): string {
  if (!Number.isFinite(value)) return unknown;
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Milliseconds since the epoch as `2026-03-14 09:26 UTC`. */
export function dateText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
