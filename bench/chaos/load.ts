import { messageOf, StateError } from '../../src/core/errors.ts';
import type { DurableHost } from '../../src/runtime/durable.ts';
import { chaosSignal } from './agent.ts';

const lostAfterMs = 60_000;

/** Runs that are started, approved and waited for while workers and the engine die, always so many at once. */
export class Load {
  readonly #host: DurableHost;
  readonly #atOnce: number;
  readonly #ended = new Map<string, string>();
  readonly #open: Promise<void>[] = [];
  #next = 1;
  #stopped = false;

  constructor(host: DurableHost, atOnce: number) {
    this.#host = host;
    this.#atOnce = atOnce;
  }

  /** How each run ended, or why it did not. */
  get ended(): ReadonlyMap<string, string> {
    return this.#ended;
  }

  begin(): void {
    for (let lane = 0; lane < this.#atOnce; lane++) this.#open.push(this.#lane());
  }

  /** Starts no more runs; resolves when those that were started are over or lost. */
  async drain(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#open);
  }

  async #lane(): Promise<void> {
    while (!this.#stopped) {
      const id = `run-${this.#next++}`;
      this.#ended.set(id, 'lost');
      this.#ended.set(id, await this.#run(id).catch((error) => `lost: ${messageOf(error)}`));
    }
  }

  async #run(id: string): Promise<string> {
    await persistently(() => this.#host.start('agent', id, null));
    await pause(Math.random() * 2_000);
    const signalled = await persistently(() => this.#host.signal(id, chaosSignal, { by: 'the load' }));
    if (signalled === 'no-such-run') return 'lost: the engine does not know it';
    for (const end = Date.now() + lostAfterMs; Date.now() < end; ) {
      const { state } = await persistently(() => this.#host.result(id, { waitMs: 5_000 }));
      if (state !== 'running' && state !== 'suspended') return state;
      await pause(50);
    }
    return `lost: not over after ${lostAfterMs / 1_000} s`;
  }
}

/** Repeats what failed because the engine was away. Starts and signals may be repeated: the first one counts. */
async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + lostAfterMs; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StateError) || Date.now() > end) throw error;
      await pause(100);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
