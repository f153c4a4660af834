import type { Usage } from '../core/usage.ts';

/** `4210` as `4,210`. */
export function count(value: number): string {
  // Not toLocaleString, which loads a locale's data for three digits.
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 claim`, `2 claims`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Milliseconds as `240 ms`, `2.4 s` or `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** How long ago, in the largest whole unit: `5 s`, `3 min`, `2 h`, `4 d`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** What was paid, in words that never call an unknown price free. */
export function cost(usage: Usage): string {
  const paid = usage.usd > 0 ? `$${usage.usd.toFixed(usage.usd < 0.01 ? 5 : 4)}` : '';
  if (usage.unpricedCalls === 0) return paid || 'no cost';
  if (!paid) return 'price unknown';
  return `${paid} and ${plural(usage.unpricedCalls, 'call')} of unknown price`;
}

/** Tokens, marked where a provider reported none and they were estimated. */
export function tokens(usage: Usage): string {
  return `${usage.estimatedCalls > 0 ? 'about ' : ''}${count(usage.tokens)} tokens`;
}
