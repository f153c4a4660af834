/** Where values stand on an axis: pure, so that it can be tested without a browser. */

export interface Scale {
  /** The place of a value. What lies outside stands at the end of the axis. */
  at(value: number): number;
  /** Round values along the axis. */
  ticks: readonly number[];
}

interface ScaleOptions {
  /** The smallest and the largest value that is shown. */
  domain: readonly [number, number];
  /** The places of the two, which may run backwards. */
  range: readonly [number, number];
  /** About how many ticks. */
  most?: number;
}

/** Equal steps are equally far apart. */
export function linearScale({ domain, range, most = 5 }: ScaleOptions): Scale {
  const [low, high] = ordered(domain);
  const step = roundStep((high - low) / most);
  const first = Math.ceil(low / step - tolerance);
  const ticks = Array.from({ length: Math.max(0, Math.floor(high / step + tolerance) - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
  return { at: placing(low, high, range), ticks };
}

/** Equal ratios are equally far apart; every value has to be above 0. */
export function logScale({ domain, range, most = 5 }: ScaleOptions): Scale {
  const [low, high] = ordered(domain);
  const [from, to] = [Math.log10(low), Math.log10(high)];
  const place = placing(from, to, range);
  const digits = to - from > most ? [1] : to - from > most / 3 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) {
    for (const digit of digits) {
      const value = Number((digit * 10 ** power).toPrecision(12));
      if (value >= low * (1 - tolerance) && value <= high * (1 + tolerance)) ticks.push(value);
    }
  }
  return { at: (value) => place(value > 0 ? Math.log10(value) : from), ticks };
}

/** A scale on which the smallest amounts can still be told apart, from a little before the first to a little behind the last. */
export function costScale(values: readonly number[], range: readonly [number, number]): Scale {
  const known = values.filter((value) => Number.isFinite(value) && value >= 0);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0 || high === 0) return linearScale({ domain: [0, 1], range });
  if (low > 0 && high / low > 8) return logScale({ domain: [low * 0.8, high * 1.25], range });
  return linearScale({ domain: [0, high * 1.1], range });
}

const tolerance = 1e-9;

/** An axis of no length would divide by nothing. */
function ordered([a, b]: readonly [number, number]): [number, number] {
  const [low, high] = a <= b ? [a, b] : [b, a];
  return low === high ? [low, low + (Math.abs(low) || 1)] : [low, high];
}

function placing(low: number, high: number, [start, end]: readonly [number, number]): (value: number) => number {
  return (value) => start + ((end - start) * (Math.min(high, Math.max(low, value)) - low)) / (high - low);
}

/** 1, 2 or 5 times a power of ten, not below the given step. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const digit = [1, 2, 5, 10].find((one) => one * power >= step * (1 - tolerance)) ?? 10;
  return digit * power;
}
