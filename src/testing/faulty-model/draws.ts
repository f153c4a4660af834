import { hash } from 'node:crypto';

/** A number from 0 up to 1 that follows from the texts alone, so that a decision is the same in every process. */
export function chanceOf(...parts: readonly (string | number)[]): number {
  return Number.parseInt(hash('sha256', parts.join('\n')).slice(0, 12), 16) / 2 ** 48;
}

/** A sequence of draws that is the same for the same seed. */
export class Draws {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  next(): number {
    this.#drawn += 1;
    return chanceOf(this.#seed, this.#drawn);
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const [picked] = this.some(list, 1);
    if (picked === undefined) throw new RangeError('pick: the list is empty');
    return picked;
  }

  /** So many different members, in drawn order. */
  some<T>(list: readonly T[], count: number): T[] {
    const left = [...list];
    return Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.whole(0, left.length - 1), 1),
    ).flat();
  }

  /** The first value that `make` gives and `fits` takes. */
  until<T>(make: () => T, fits: (value: T) => boolean): T {
    for (let tries = 0; tries < 10_000; tries++) {
      const value = make();
      if (fits(value)) return value;
    }
    throw new RangeError('until: 10,000 draws and none fits');
  }
}
