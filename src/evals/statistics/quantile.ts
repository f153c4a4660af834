/** The value below which a share of the values lies, interpolated between neighbours (type 7 of Hyndman and Fan 1996). Of nothing it is NaN. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return above === below ? below : below + (above - below) * (place - Math.floor(place));
}

/** The arithmetic mean. Of nothing it is NaN. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
