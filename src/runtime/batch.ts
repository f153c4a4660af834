import { StateError } from '../core/errors.ts';
import type { Change, Writer } from './store.ts';

/**
 * Group commit: the changes of one event-loop turn are applied together.
 *
 * 1. `apply` gets them in the order of `add`, once, in a macrotask of its own.
 * 2. If it throws, none of them was kept and every writer is told so.
 */
export class Batch {
  /** Counts the macrotasks in which writers were told. */
  turn = 0;
  readonly #apply: (changes: readonly Change[]) => readonly boolean[];
  #changes: Change[] = [];
  #writers: Writer[] = [];

  constructor(apply: (changes: readonly Change[]) => readonly boolean[]) {
    this.#apply = apply;
  }

  add(change: Change, writer: Writer): void {
    if (this.#changes.push(change) === 1) setImmediate(this.flush);
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
