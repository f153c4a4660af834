/** `4210` as `4,210`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Milliseconds as `240 ms`, `2.4 s`, `3 min 20 s` or `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** When something happened, in seconds since another thing: `+12.345`. */
export function secondsSince(began: number, at: number): string {
  const seconds = Math.max(0, at - began) / 1_000;
  return seconds < 100 ? `+${seconds.toFixed(3)}` : `+${count(seconds)}`;
}

/** Dollars, with as many digits as small amounts need. Nothing paid is a dash, not a zero that looks measured. */
export function money(usd: number): string {
  if (usd === 0) return '–';
  return `$${usd.toFixed(usd < 0.01 ? 5 : usd < 1 ? 4 : 2)}`;
}

/** A share of 0 to 1 as `83.3 %`. */
export function percent(share: number | null): string {
  return share === null || Number.isNaN(share) ? '–' : `${(share * 100).toFixed(1)} %`;
}
