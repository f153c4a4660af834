const halfDay = 12 * 60;
const day = 2 * halfDay;
const written = /(?<![\d:.,])([01]?\d|2[0-4])\s?(?::|：|[hH点时]|\.(?=[0-5]\d(?!\d|[.,]\d)))\s?([0-5]\d)(?![\d])/gu;
const compact = /(?<![\d:.,-])([01]\d|2[0-3])([0-5]\d)(?=\s?(?:h\b|hrs?\b|hours\b|Uhr|Z\b))/g;
const sixty = 60;

/** The times of day that a text writes as 8:30, as minutes; `text` as written. A score or a ratio such as 3:2 is none. */
export function timesIn(text: string): { text: string; minutes: number }[] {
  return [...text.matchAll(/(?<![\d:.,/])([01]?\d|2[0-3]):([0-5]\d)(?![\d:]|\.\d)/g)].map(([whole, hour, minute]) => ({
    text: whole,
    minutes: Number(hour) * sixty + Number(minute),
  }));
}

/** Every time of day that a text may mean, in any notation, in the morning or the afternoon. */
export function timesMeant(text: string): ReadonlySet<number> {
  const all = [...text.matchAll(written), ...text.matchAll(compact)].map(
    ([, hour, minute]) => (Number(hour) * sixty + Number(minute)) % day,
  );
  return new Set(all.flatMap((minutes) => [minutes, (minutes + halfDay) % day]));
}
