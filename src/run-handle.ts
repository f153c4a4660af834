import type { Attempt } from './core/attempt.ts';
import { Budget } from './core/budget.ts';
import { StateError } from './core/errors.ts';
import type { RunEvent } from './core/event.ts';
import type { Result } from './core/result.ts';
import type { DurableHost, RunInfo } from './runtime/durable.ts';
import { interruptedResult } from './solver/outcome.ts';
import { storedResult } from './stored-result.ts';
import { Channel } from './trace/channel.ts';

/** One execution of a run in this process. */
export interface Execution {
  readonly channel: Channel;
  /** What the run has so far; set when it begins. */
  latest: () => { attempt: Attempt | undefined; budget: Budget };
}

export interface RunHandleOptions {
  host: DurableHost;
  /** Makes the host write the run. */
  begin(): Promise<void>;
  done(): void;
  /** Brings the events of a run that another process executes into the channel. */
  follow?: ((channel: Channel) => { stop(): Promise<void> }) | undefined;
}

/** A run in progress: an async iterable of its events and a promise of its Result. */
export class RunHandle implements AsyncIterable<RunEvent>, PromiseLike<Result> {
  readonly id: string;
  readonly execution: Execution = {
    channel: new Channel(),
    latest: () => ({ attempt: undefined, budget: new Budget({}) }),
  };
  /** Resolves for every ending; rejects with `UsageError` or `StateError` when the run could not be started or was lost. */
  readonly result: Promise<Result>;
  readonly #host: DurableHost;
  readonly #begun: Promise<void>;

  constructor(id: string, options: RunHandleOptions) {
    this.id = id;
    this.#host = options.host;
    this.#begun = options.begin();
    this.result = this.#begun
      .then(() => this.#ended(options))
      .then((info) => this.#resultOf(info))
      .finally(() => {
        this.execution.channel.close();
        options.done();
      });
    // The caller may only iterate; an unobserved rejection must not take the process down.
    this.result.catch(() => {});
  }

  /** Resolves when the host has written the run; rejects as `result` does when it could not be started. */
  get begun(): Promise<void> {
    return this.#begun;
  }

  /** Asks the run to end. Its Result has the status `cancelled` and keeps what was found. */
  async cancel(): Promise<void> {
    // Before that the host does not know the run.
    await this.#begun;
    await this.#host.cancel(this.id);
  }

  cancelOn(signal: AbortSignal): void {
    // What can fail here, a run that could not be started or a host that is closed, is what `result` rejects with.
    const cancel = (): void => void this.cancel().catch(() => {});
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    void this.result.finally(() => signal.removeEventListener('abort', cancel)).catch(() => {});
  }

  // biome-ignore lint/suspicious/noThenProperty: a handle is awaited for its Result, as the library promises
  then<A = Result, B = never>(
    onFulfilled?: ((value: Result) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.result.then(onFulfilled, onRejected);
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.execution.channel[Symbol.asyncIterator]();
  }

  /** How the run ended, once this process has heard of what happened before. */
  async #ended({ host, follow }: RunHandleOptions): Promise<RunInfo> {
    const following = follow?.(this.execution.channel);
    try {
      return await host.result(this.id);
    } finally {
      await following?.stop();
    }
  }

  #resultOf(info: RunInfo): Result {
    const { attempt, budget } = this.execution.latest();
    switch (info.state) {
      case 'completed':
      case 'failed':
      case 'cancelled':
        return (
          storedResult(info) ??
          interruptedResult(this.id, {
            status: info.state === 'cancelled' ? 'cancelled' : 'failed',
            reason: { code: info.state, detail: info.error ?? 'the run left no result' },
            attempt,
            budget,
          })
        );
      case 'suspended':
        return interruptedResult(this.id, {
          status: 'awaiting_approval',
          reason: { code: 'awaiting-approval', detail: `a human's decision is awaited: ${info.waitingFor.join(', ')}` },
          attempt,
          budget,
        });
      case 'parked':
        return interruptedResult(this.id, {
          status: 'stopped',
          reason: { code: 'parked', detail: info.error ?? 'the journal does not fit the code' },
          attempt,
          budget,
        });
      case 'running':
        throw new StateError(`The run '${this.id}' stopped without an ending; its journal is kept. Resume it.`);
      default:
        return info.state satisfies never;
    }
  }
}
