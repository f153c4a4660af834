/**
 * What agent code can ask the journal for. An operation begins once, ends in one entry, and is settled by that entry,
 * whether it was just recorded or is replayed.
 */
import { NondeterminismError, StepFailedError, UncertainOutcomeError } from '../core/errors.ts';
import type { StepOptions } from '../core/step.ts';
import {
  type Closure,
  executePlain,
  GuardedExecution,
  isGuarded,
  longestTimer,
  type Settlement,
} from './execute-step.ts';
import type { Limiter } from './limiter.ts';
import { type Recorded, record } from './recorded.ts';
import type { Entry, RunRecord } from './store.ts';

/** What a branch last saw of the journal's time. */
export interface Clock {
  at: number;
}

/** How an operation came out, as it will be recorded. */
export type Outcome = Pick<Entry, 'value' | 'error'>;

/** What an operation needs of its run. */
export interface OperationHost {
  readonly id: string;
  /** For closures that begin now. */
  readonly closureSignal: AbortSignal;
  readonly limiter: Limiter;
  /** The value of a signal that has arrived. */
  arrived(signal: string): Recorded | undefined;
  record(operation: Operation, outcome: Outcome): void;
  park(error: NondeterminismError): void;
  /** The operation merely waits from now on. */
  nowIdle(): void;
  beginChild(child: ChildOperation): void;
}

/** Where an operation stands in the run. */
export interface Place {
  key: string;
  name: string;
  clock: Clock;
}

export abstract class Operation {
  readonly key: string;
  readonly name: string;
  readonly promise: Promise<unknown>;
  readonly reject: (error: Error) => void;
  /** It was settled by an entry that an earlier execution recorded. */
  replayed = false;
  /** Its outcome has been written: a closure that comes back after its time limit has no say. */
  recorded = false;
  /** It merely waits: the run can be dropped meanwhile. */
  idle = false;
  readonly #resolve: (value: unknown) => void;
  readonly #clock: Clock;

  constructor(place: Place) {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.promise = promise;
    this.#resolve = resolve;
    this.reject = reject;
    this.key = place.key;
    this.name = place.name;
    this.#clock = place.clock;
  }

  abstract begin(run: OperationHost): void;

  /** Nobody waits for it any more: the run was cancelled or holds no coroutine now. */
  abstract stop(reason: Error): void;

  settle(entry: Entry): void {
    if (entry.at > this.#clock.at) this.#clock.at = entry.at;
    if (entry.error) this.reject(this.failure(entry.error));
    else this.#resolve(entry.value?.read());
  }

  /** Rejects without an unhandled rejection where nobody waits. */
  rejectQuietly(error: Error): void {
    this.promise.catch(() => undefined);
    this.reject(error);
  }

  protected failure(error: { name: string; message: string }): Error {
    return new StepFailedError(this.name, error.name, error.message);
  }
}

/** The class of an error, also when it forgot to set its name. */
function classOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  return error.name === 'Error' ? error.constructor.name : error.name;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function outcomeOf(value: unknown): Outcome {
  try {
    return { value: record(value) };
  } catch (error) {
    return { error: { name: 'TypeError', message: `the result is not JSON: ${messageOf(error)}` } };
  }
}

/** `durable.step`, and the marks the engine makes itself (deadlines, intents). */
export class StepOperation extends Operation implements Settlement {
  readonly #closure: Closure;
  readonly #options: StepOptions | undefined;
  #run: OperationHost | undefined;
  #execution: GuardedExecution | undefined;

  constructor(place: Place, closure: Closure, options?: StepOptions) {
    super(place);
    this.#closure = closure;
    this.#options = options;
  }

  begin(run: OperationHost): void {
    this.#run = run;
    const idempotencyKey = `${run.id}/${this.key}`;
    if (isGuarded(this.#options)) {
      const guarded = { closure: this.#closure, idempotencyKey, options: this.#options, limiter: run.limiter };
      this.#execution = new GuardedExecution(guarded, this);
      this.#execution.start();
    } else executePlain(this.#closure, { idempotencyKey, attempt: 1, signal: run.closureSignal }, this);
  }

  succeed(value: unknown): void {
    this.#run?.record(this, outcomeOf(value));
  }

  fail(error: unknown): void {
    if (error instanceof NondeterminismError) this.#run?.park(error);
    else this.#run?.record(this, { error: { name: classOf(error), message: messageOf(error) } });
  }

  stop(reason: Error): void {
    this.#run = undefined;
    this.#execution?.stop(reason);
  }
}

const uncertain = 'UncertainOutcomeError';

/** An at-most-once step whose intent is replayed: it has a recorded result, or a death left it without one. */
export class UncertainOperation extends Operation {
  begin(run: OperationHost): void {
    run.record(this, { error: { name: uncertain, message: 'begun before a crash, no result was recorded' } });
  }

  stop(): void {
    // Nothing runs for it.
  }

  protected override failure(error: { name: string; message: string }): Error {
    return error.name === uncertain ? new UncertainOutcomeError(this.name) : super.failure(error);
  }
}

/** `durable.waitFor` and `durable.sleep`: ends when the signal arrives or the deadline passes, whichever comes first. */
export class WaitOperation extends Operation {
  readonly signal: string | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number | undefined;
  #run: OperationHost | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(place: Place, wait: { signal?: string | undefined; until?: number | undefined }) {
    super(place);
    this.signal = wait.signal;
    this.until = wait.until;
  }

  begin(run: OperationHost): void {
    this.#run = run;
    if (this.check() || !this.#run) return;
    this.idle = true;
    this.#arm();
    run.nowIdle();
  }

  /** Looks whether the wait is over; true when it is. */
  check(): boolean {
    const value = this.signal === undefined ? undefined : this.#run?.arrived(this.signal);
    if (value === undefined && !(this.until !== undefined && Date.now() >= this.until)) return false;
    this.idle = false;
    clearTimeout(this.#timer);
    this.#run?.record(this, { value });
    return true;
  }

  stop(): void {
    this.#run = undefined;
    clearTimeout(this.#timer);
  }

  #arm(): void {
    if (this.until === undefined) return;
    const ms = Math.min(longestTimer, Math.max(0, this.until - Date.now()));
    this.#timer = setTimeout(() => this.check() || this.#arm(), ms);
  }
}

/** `durable.child`. It is idle while the child holds no coroutine here. */
export class ChildOperation extends Operation {
  readonly workflow: string;
  readonly input: unknown;
  #run: OperationHost | undefined;

  constructor(place: Place, workflow: string, input: unknown) {
    super(place);
    this.workflow = workflow;
    this.input = input;
  }

  begin(run: OperationHost): void {
    this.#run = run;
    run.beginChild(this);
  }

  /** The child is finished. */
  finish(child: RunRecord): void {
    this.idle = false;
    if (child.state === 'completed') this.#run?.record(this, { value: child.output });
    else
      this.fail(
        child.state === 'cancelled' ? 'CancelledError' : 'ChildFailed',
        child.error ?? `${child.id} ${child.state}`,
      );
  }

  fail(name: string, message: string): void {
    this.#run?.record(this, { error: { name, message } });
  }

  setIdle(idle: boolean): void {
    this.idle = idle;
    if (idle) this.#run?.nowIdle();
  }

  stop(): void {
    this.#run = undefined;
  }
}
