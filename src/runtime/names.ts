import { SeededRandom } from './seeded.ts';

/** What a run derives from paths alone, the same in every execution: keys and random numbers. */
export class Names {
  readonly #seed: string;
  readonly #uses = new Map<string, number>();
  readonly #generators = new Map<string, SeededRandom>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** The next unused key: `base`, then `base#2`, `base#3`. */
  key(base: string): string {
    const uses = (this.#uses.get(base) ?? 0) + 1;
    this.#uses.set(base, uses);
    return uses === 1 ? base : `${base}#${uses}`;
  }

  /** The random numbers of a path: one sequence, however often the path is entered. */
  random(path: string): SeededRandom {
    const known = this.#generators.get(path);
    if (known) return known;
    const made = new SeededRandom(`${this.#seed}|${path}`);
    this.#generators.set(path, made);
    return made;
  }
}
