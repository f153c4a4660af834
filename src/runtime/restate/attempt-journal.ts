import { StateError } from '../../core/errors.ts';
import { longestTimer } from '../execute-step.ts';
import type { Recorded } from '../recorded.ts';
import type { Change, Entry, JournalStore, RunRecord, Writer } from '../store.ts';
import type { Batch, ChildStart, News, RunEnd, ValueStore } from './run-log.ts';

interface Pending {
  entry: Entry;
  writer: Writer;
}

/** What the run has to tell, with its output as it came. */
interface Untold extends Omit<News, 'ended'> {
  ended?: Omit<RunEnd, 'output'> & { output?: Recorded | undefined };
}

/**
 * The journal of one run while one attempt executes it. What the run writes waits here until the engine fetches it as a batch;
 * it is committed when the engine has recorded that batch.
 *
 * 1. Entries leave in the order they were written, at most `maxInlineBytes` of them at once but always one.
 * 2. What the run tells beside its entries leaves with the last of them.
 */
export class AttemptJournal implements JournalStore {
  readonly turn = undefined;
  readonly owner = 'restate';
  readonly #kept: RunRecord;
  readonly #values: ValueStore;
  readonly #recorded: Entry[] = [];
  readonly #arrived = new Map<string, string>();
  readonly #listening = new Set<string>();
  /** Not yet fetched. */
  #waiting: Pending[] = [];
  /** Fetched, not yet recorded. */
  #fetched: Pending[] = [];
  #news: Untold = {};
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(kept: RunRecord, values: ValueStore) {
    this.#kept = kept;
    this.#values = values;
  }

  get length(): number {
    return this.#recorded.length;
  }

  /** There is something that the engine has not fetched. */
  get hasSomething(): boolean {
    return this.#waiting.length > 0 || this.#failure !== undefined || Object.keys(this.#news).length > 0;
  }

  write(change: Change, writer: Writer): void {
    if (change.type !== 'append') {
      writer.failed(new StateError(`the engine decides on a ${change.type}, not the attempt that executes the run`));
      return;
    }
    this.#waiting.push({ entry: change.entry, writer });
    this.#wake();
  }

  entries(_run: number, after: number, limit: number): Entry[] {
    return this.#recorded.slice(after, after + limit);
  }

  /** The signal's value. One that is asked for and is not there yet is listened to. */
  signal(_run: number, name: string): string | undefined {
    if (!this.#listening.has(name)) {
      this.#listening.add(name);
      this.tell({ signals: [...(this.#news.signals ?? []), name] });
    }
    return this.#arrived.get(name);
  }

  find(id: string): RunRecord | undefined {
    return id === this.#kept.id ? this.#kept : undefined;
  }

  list(): RunRecord[] {
    return [this.#kept];
  }

  cancelRequests(): string[] {
    return this.#kept.cancelRequested ? [this.#kept.id] : [];
  }

  /** Everything from elsewhere comes through the engine. */
  changedElsewhere(): boolean {
    return false;
  }

  isAlive(owner: string): boolean {
    return owner === this.owner;
  }

  close(): void {
    this.#waiting = [];
  }

  tell(news: Untold): void {
    Object.assign(this.#news, news);
    this.#wake();
  }

  startChild(child: ChildStart): void {
    this.tell({ children: [...(this.#news.children ?? []), child] });
  }

  /** The run cannot go on here: the next `fetch` throws. */
  fail(error: Error): void {
    this.#failure = error;
    this.#wake();
  }

  arrive(signal: string, value: unknown): void {
    this.#arrived.set(signal, JSON.stringify(value ?? null));
  }

  /** The next batch as JSON text: as soon as there is something to record, and an empty one after `ms`. */
  async fetch(ms: number): Promise<string> {
    if (!this.hasSomething) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, Math.min(ms, longestTimer));
      await promise;
      clearTimeout(timer);
    }
    // Steps that finish in one turn of the event loop share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#failure) throw this.#failure;
    return this.#takeBatch();
  }

  /** The engine has recorded a batch: of this attempt, or of an earlier one. */
  async recorded(batch: Batch): Promise<void> {
    const fetched = this.#fetched;
    this.#fetched = [];
    for (const name of batch.signals ?? []) this.#listening.add(name);
    for (const [index, logged] of batch.entries.entries()) {
      // What this attempt wrote is at hand; what an earlier one wrote comes from the log.
      const own = fetched[index]?.entry;
      this.#recorded.push(own ?? (await this.#values.entry(logged, this.#recorded.length + 1)));
    }
    for (const { writer } of fetched) writer.committed(true);
  }

  /** Nothing is taken before everything is in its place: a blob store that fails leaves all of it for another try. */
  async #takeBatch(): Promise<string> {
    const texts: string[] = [];
    let bytes = 0;
    for (const { entry } of this.#waiting) {
      if (bytes > this.#values.maxInlineBytes / 2) break;
      texts.push(await this.#entryText(entry));
      bytes += texts.at(-1)?.length ?? 0;
    }
    const { ended } = this.#news;
    const end = ended && { ...ended, output: await this.#values.logged(ended.output) };
    const isLast = texts.length === this.#waiting.length;
    this.#fetched.push(...this.#waiting.splice(0, texts.length));
    const news = isLast ? { ...this.#news, ended: end } : {};
    if (isLast) this.#news = {};
    const members = JSON.stringify(news).slice(1);
    return `{"entries":[${texts.join(',')}]${members === '}' ? '' : ','}${members}`;
  }

  async #entryText({ key, at, error, value }: Entry): Promise<string> {
    return `${JSON.stringify({ key, at, error }).slice(0, -1)}${await this.#values.text(value)}}`;
  }
}
