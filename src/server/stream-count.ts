import { Problem } from './problem.ts';

/** Open event streams, at most so many. */
export class StreamCount {
  readonly #most: number;
  #open = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get open(): number {
    return this.#open;
  }

  /** Counts one more, and gives what counts it out. Throws a `Problem` (429) when that is one too many. */
  enter(): () => void {
    if (this.#open >= this.#most) {
      throw new Problem({
        status: 429,
        code: 'streams',
        title: 'Too many event streams',
        detail: `${this.#most} event streams are open, which is as many as this server keeps.`,
        remedy: 'Close one, ask for application/json, or come back after the time in Retry-After.',
        retryAfter: 5,
      });
    }
    this.#open++;
    let counted = true;
    return () => {
      if (counted) this.#open--;
      counted = false;
    };
  }
}
