import { mustPass, UsageError } from '../core/errors.ts';
import type { Step, StepContext, StepOptions } from '../core/step.ts';
import type { Durable, Settled } from './durable.ts';
import type { LiveRun } from './live-run.ts';
import {
  ChildOperation,
  type Clock,
  type Place,
  StepOperation,
  UncertainOperation,
  WaitOperation,
} from './operation.ts';

const defaultConcurrency = 32;

/** The characters our own keys use; a name that contains one is escaped, so that no two operations share a key. */
const reserved = /[#!%]|^~/;

function segment(name: string): string {
  if (!reserved.test(name)) return name;
  return name.replace(/[#!%~]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

/** One place of a run, as agent code sees it. Its whole state is in the run, but for the clock of the branch. */
export class Context implements Durable {
  readonly path: string;
  readonly #run: LiveRun;
  readonly #clock: Clock;

  constructor(run: LiveRun, path: string, clock: Clock) {
    this.#run = run;
    this.path = path;
    this.#clock = clock;
  }

  get runId(): string {
    return this.#run.id;
  }

  get seed(): string {
    return this.#run.kept.seed;
  }

  get codeVersion(): number {
    return this.#run.kept.version;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  readonly step: Step = <T>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    options?: StepOptions,
  ): Promise<T> => {
    const place = this.#place(name, segment(name));
    const result =
      options?.effect === 'at-most-once'
        ? this.#stepAtMostOnce(place, fn, options)
        : this.#run.issue(new StepOperation(place, fn, options));
    // The journal is untyped: it gives back the JSON of what this very closure returned.
    return result as Promise<T>;
  };

  scope(name: string): Durable {
    return new Context(this.#run, this.#below(segment(name)), this.#clock);
  }

  async sleep(ms: number): Promise<void> {
    if (!Number.isFinite(ms)) throw new UsageError(`sleep takes a finite number of milliseconds, not ${ms}`);
    const place = this.#place('sleep', '~sleep');
    const until = await this.#deadline(place, ms);
    await this.#run.issue(new WaitOperation(place, { until }));
  }

  async waitFor<T>(signal: string, options: { timeoutMs?: number } = {}): Promise<T | undefined> {
    const place = this.#place(signal, `~wait:${segment(signal)}`);
    const { timeoutMs = Number.POSITIVE_INFINITY } = options;
    const until = Number.isFinite(timeoutMs) ? await this.#deadline(place, timeoutMs) : undefined;
    // The sender of the signal vouches for its type.
    return (await this.#run.issue(new WaitOperation(place, { signal, until }))) as T | undefined;
  }

  async parallel<T>(
    name: string,
    branches: readonly ((durable: Durable) => Promise<T>)[],
    options: { concurrency?: number } = {},
  ): Promise<Settled<T>[]> {
    const base = this.#place(name, segment(name)).key;
    const results: Settled<T>[] = new Array(branches.length);
    const queue = branches.entries();
    const work = async (): Promise<void> => {
      for (const [index, branch] of queue) {
        const context = new Context(this.#run, `${base}/${index}`, { at: this.#clock.at });
        results[index] = await this.#settle(branch, context);
        this.#clock.at = Math.max(this.#clock.at, context.now());
      }
    };
    const { concurrency = defaultConcurrency } = options;
    const workers = Math.min(Math.max(1, concurrency || 1), branches.length);
    await Promise.all(Array.from({ length: workers }, work));
    return results;
  }

  async child<O>(workflow: string, name: string, input: unknown): Promise<O> {
    const place = this.#place(name, `~child:${segment(name)}`);
    // The child's workflow vouches for its type.
    return (await this.#run.issue(new ChildOperation(place, workflow, input))) as O;
  }

  now(): number {
    return this.#clock.at;
  }

  random(): number {
    return this.#run.names.random(this.path).number();
  }

  uuid(): string {
    return this.#run.names.random(this.path).uuid();
  }

  async #settle<T>(branch: (durable: Durable) => Promise<T>, context: Durable): Promise<Settled<T>> {
    try {
      return { ok: true, value: await branch(context) };
    } catch (error) {
      if (mustPass(error) || this.#run.isOver) throw error;
      return { ok: false, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** The intent comes first: replayed, it says that the closure may have run, so it never runs again. */
  async #stepAtMostOnce(place: Place, fn: (context: StepContext) => unknown, options: StepOptions): Promise<unknown> {
    if ((options.retry?.maxAttempts ?? 1) > 1) {
      throw new UsageError(`step ${place.key} asks for at-most-once and for retries: drop one of the two`);
    }
    const intent = new StepOperation(mark(place), () => undefined);
    await this.#run.issue(intent);
    return this.#run.issue(intent.replayed ? new UncertainOperation(place) : new StepOperation(place, fn, options));
  }

  async #deadline(place: Place, ms: number): Promise<number> {
    // The engine made this entry itself, a few lines below.
    return (await this.#run.issue(new StepOperation(mark(place), () => Date.now() + ms))) as number;
  }

  #below(name: string): string {
    return this.path === '' ? name : `${this.path}/${name}`;
  }

  #place(name: string, keyName: string): Place {
    return { key: this.#run.names.key(this.#below(keyName)), name, clock: this.#clock };
  }
}

/** The entry an operation makes before its own. */
function mark(place: Place): Place {
  return { ...place, key: `${place.key}!` };
}
