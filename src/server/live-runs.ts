import { StateError } from '../core/errors.ts';
import type { Result } from '../core/result.ts';
import type { RunHandle } from '../run-handle.ts';
import type { Release } from './admission.ts';
import type { NamedAgent } from './agents.ts';
import type { RunFinder } from './run-finder.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface LiveRunsOptions {
  finder: Pick<RunFinder, 'note'>;
  metrics: ServerMetrics;
  onError(error: unknown): void;
}

/** The runs that this process executes: each is followed to where it stops, and counted then. */
export class LiveRuns {
  readonly #options: LiveRunsOptions;
  readonly #handles = new Map<string, RunHandle>();

  constructor(options: LiveRunsOptions) {
    this.#options = options;
  }

  get(runId: string): RunHandle | undefined {
    return this.#handles.get(runId);
  }

  /** `written`: when its first row is in the index, which its last one must not precede. */
  add(named: NamedAgent, run: { handle: RunHandle; release: Release; written?: Promise<void> | undefined }): void {
    const { handle, release, written } = run;
    this.#handles.set(handle.id, handle);
    handle.result
      .then((result) => this.#ended(named, result, written))
      .catch((error: unknown) => {
        // Its store failed, this process goes down, or another one has it: the journal says how it stands.
        if (!(error instanceof StateError)) this.#options.onError(error);
      })
      .finally(() => {
        if (this.#handles.get(handle.id) === handle) this.#handles.delete(handle.id);
        release();
      });
  }

  async #ended(named: NamedAgent, result: Result, written: Promise<void> | undefined): Promise<void> {
    await written;
    const run = await named.agent.host.info(result.runId);
    if (!run) return;
    const waits = run.state === 'suspended' || run.state === 'parked';
    if (!waits) this.#options.metrics.runEnded(named.name, result, (run.updated - run.created) / 1_000);
    await this.#options.finder.note({ ...named, run }, run.state === 'parked' ? 'parked' : result.status);
  }
}
