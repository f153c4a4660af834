import { hash } from 'node:crypto';
import { SeededRandom } from '../../runtime/seeded.ts';
import type { Split } from './example.ts';

/** Puts tasks into splits: a task is in one of them, and so is a question, whatever tasks ask it. Depends on the seed and the order. */
export class TaskSplit {
  readonly #seed: string;
  readonly #share: number;
  readonly #tasks: Map<string, Split> = new Map();
  readonly #questions: Map<string, Split> = new Map();

  /** `share`: of the tasks, for validation. */
  constructor(seed: string, share: number) {
    this.#seed = seed;
    this.#share = share;
  }

  /** Undefined for a question of the other split: asked by a task that is in this one. */
  of(taskKey: string, question: string): Split | undefined {
    const key = hash('sha256', question, 'base64url');
    const asked = this.#questions.get(key);
    const split = this.#tasks.get(taskKey) ?? asked ?? this.#drawn(taskKey);
    if (asked !== undefined && asked !== split) return undefined;
    this.#tasks.set(taskKey, split);
    this.#questions.set(key, split);
    return split;
  }

  #drawn(taskKey: string): Split {
    return new SeededRandom(`${this.#seed} split ${taskKey}`).number() < this.#share ? 'validation' : 'train';
  }
}
