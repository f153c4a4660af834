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

/** What was paid, in words that call neither an unknown price free nor an estimate exact. */
export function cost(usage: Usage): string {
  if (usage.usd === 0) return usage.unpricedCalls > 0 ? 'price unknown' : 'no cost';
  const marks = [
    ...(usage.estimatedCalls > 0 ? ['estimated'] : []),
    ...(usage.unpricedCalls > 0 ? [`${plural(usage.unpricedCalls, 'call')} unpriced`] : []),
  ];
  const paid = `$${usage.usd.toFixed(usage.usd < 0.01 ? 5 : 4)}`;
  return marks.length > 0 ? `${paid} (${marks.join(', ')})` : paid;
}

/** Tokens, marked where a provider reported none and they were estimated. */
export function tokens(usage: Usage): string {
  return `${aboutText(usage)}${count(usage.tokens)} tokens`;
}

/** The same by direction, with the share of the input that was read from a cache: `3,900 tokens in (62% from cache), 310 out`. */
export function tokensInAndOut(usage: Usage): string {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const share =
    cachedTokens > 0 ? ` (${Math.min(100, Math.round((100 * cachedTokens) / inputTokens))}% from cache)` : '';
  return `${aboutText(usage)}${count(inputTokens)} tokens in${share}, ${count(outputTokens)} out`;
}

function aboutText({ estimatedCalls }: Usage): string {
  return estimatedCalls > 0 ? 'about ' : '';
}
