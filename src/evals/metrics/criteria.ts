import type { ConfigurationMetrics } from '../evaluation.ts';
import type { Criteria } from '../suite.ts';

/** A sentence for each criterion that the metrics miss; a figure that is not known misses. Empty: all are met. */
export function missedCriteria(criteria: Criteria, metrics: ConfigurationMetrics): string[] {
  const { minSuccess, maxUsdPerSuccess, maxP95Ms, maxSilentFailures } = criteria;
  const { success, usdPerSuccess, p95LatencyMs, silentFailures } = metrics;
  const missed: string[] = [];
  if (minSuccess !== undefined && !(success.rate >= minSuccess))
    missed.push(`success ${percent(success.rate)}, at least ${percent(minSuccess)} is asked`);
  const atMost = (name: string, value: number, limit: number | undefined, shown: (value: number) => string): void => {
    if (limit !== undefined && !(value <= limit))
      missed.push(`${name} ${shown(value)}, at most ${shown(limit)} is allowed`);
  };
  atMost('cost of a success', usdPerSuccess, maxUsdPerSuccess, dollars);
  atMost('95th percentile of the latency', p95LatencyMs, maxP95Ms, milliseconds);
  atMost('silent failures', silentFailures.rate, maxSilentFailures, percent);
  return missed;
}

function percent(share: number): string {
  return known(share, `${Number((share * 100).toPrecision(4))} %`);
}

function dollars(usd: number): string {
  return known(usd, `${Number(usd.toPrecision(4))} USD`);
}

function milliseconds(time: number): string {
  return known(time, `${Math.round(time)} ms`);
}

function known(value: number, text: string): string {
  return Number.isNaN(value) ? 'unknown' : text;
}
