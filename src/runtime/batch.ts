import { StateError } from '../core/errors.ts';
import type { Change, Writer } from './store.ts';

/**
 * Group commit: the changes that are added before `later` calls back are applied together.
 *
 * 1. `apply` gets them in the order of `add`, once, when no microtask is left to run.
 * 2. If it throws, none of them was kept and every writer is told so.
 */
export class Batch {
  /** Counts how often writers were told. */
  turn = 0;
  readonly #apply: (changes: readonly Change[]) => readonly boolean[];
  readonly #later: (callback: () => void) => void;
  #changes: Change[] = [];
  #writers: Writer[] = [];

  /** `later`: a macrotask, to share one commit among many runs, or `whenQuiet`, where a commit costs nothing. */
  constructor(apply: (changes: readonly Change[]) => readonly boolean[], later: (callback: () => void) => void) {
    this.#apply = apply;
    this.#later = later;
  }

  add(change: Change, writer: Writer): void {
    if (this.#changes.push(change) === 1) this.#later(this.flush);
    this.#writers.push(writer);
  }

  readonly flush: () => void = () => {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    const writers = this.#writers;
    this.#changes = [];
    this.#writers = [];
    this.turn++;
    let changed: readonly boolean[];
    try {
      changed = this.#apply(changes);
    } catch (error) {
      const reason = error instanceof StateError ? error : new StateError(String(error), { cause: error });
      for (const writer of writers) writer.failed(reason);
      return;
    }
    for (let index = 0; index < writers.length; index++) writers[index]?.committed(changed[index] ?? false);
  };
}
