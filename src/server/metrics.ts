/** Counters, histograms and gauges in the Prometheus text format (version 0.0.4). */

type Labels = Readonly<Record<string, string>>;

interface Family {
  help: string;
  type: 'counter' | 'histogram' | 'gauge';
  /** Lines without the name's head, made when they are asked for. */
  lines(): string[];
}

/** Label values come from fixed sets (routes, statuses, agents), so the number of series is bounded. */
export class MetricsRegistry {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string): (labels: Labels, add?: number) => void {
    const values = new Map<string, number>();
    const lines = (): string[] => [...values].map(([labels, value]) => `${name}${labels} ${value}`);
    this.#families.set(name, { help, type: 'counter', lines });
    return (labels, add = 1) => {
      const key = written(labels);
      values.set(key, (values.get(key) ?? 0) + add);
    };
  }

  /** `buckets` are upper bounds in ascending order; the one without a bound is added. */
  histogram(name: string, help: string, buckets: readonly number[]): (labels: Labels, value: number) => void {
    const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();
    const lines = (): string[] =>
      [...series.values()].flatMap(({ labels, counts, sum, count }) => [
        ...buckets.map((le, index) => `${name}_bucket${written({ ...labels, le: String(le) })} ${counts[index] ?? 0}`),
        `${name}_bucket${written({ ...labels, le: '+Inf' })} ${count}`,
        `${name}_sum${written(labels)} ${sum}`,
        `${name}_count${written(labels)} ${count}`,
      ]);
    this.#families.set(name, { help, type: 'histogram', lines });
    return (labels, value) => {
      const key = written(labels);
      const kept = series.get(key) ?? { labels, counts: buckets.map(() => 0), sum: 0, count: 0 };
      kept.counts = kept.counts.map((count, index) => count + (value <= (buckets[index] ?? 0) ? 1 : 0));
      series.set(key, { ...kept, sum: kept.sum + value, count: kept.count + 1 });
    };
  }

  gauge(name: string, help: string, read: () => number): void {
    this.#families.set(name, { help, type: 'gauge', lines: () => [`${name} ${read()}`] });
  }

  text(): string {
    const families = [...this.#families].map(([name, { help, type, lines }]) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join('\n'),
    );
    return `${families.join('\n')}\n`;
  }
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
