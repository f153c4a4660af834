import type { Entry } from './store.ts';

/** Entries on their way to the code, in journal order. Taking one costs the same however many are left. */
export class EntryQueue {
  readonly #entries: Entry[];
  #head = 0;

  constructor(entries: Entry[]) {
    this.#entries = entries;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  get first(): Entry | undefined {
    return this.#entries[this.#head];
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): void {
    this.#head++;
    if (this.#head >= this.#entries.length) this.clear();
  }

  clear(): void {
    this.#entries.length = 0;
    this.#head = 0;
  }

  find(test: (entry: Entry) => boolean): Entry | undefined {
    return this.#entries.slice(this.#head).find(test);
  }
}
