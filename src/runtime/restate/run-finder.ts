import type { Workflow } from '../durable.ts';
import { type EngineApi, EngineUnavailable } from './engine-api.ts';
import { patiently } from './patience.ts';
import type { RunRow, RunRows } from './run-rows.ts';
import type { ServiceNames } from './service-names.ts';

const mostRemembered = 10_000;

interface FinderOptions {
  api: EngineApi;
  rows: RunRows;
  names: ServiceNames;
  workflows: ReadonlyMap<string, Workflow>;
}

/** Finds runs by their ids. It remembers the engine's own: looked up by them a run costs the same however many there are. */
export class RunFinder {
  readonly #options: FinderOptions;
  readonly #invocations = new Map<string, string>();

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  async find(runId: string): Promise<RunRow | undefined> {
    const found = (await this.#row(runId)) ?? (await this.#belated(runId));
    if (found) this.remember(runId, found.invocation);
    return found;
  }

  remember(runId: string, invocation: string): void {
    this.#invocations.delete(runId);
    this.#invocations.set(runId, invocation);
    if (this.#invocations.size <= mostRemembered) return;
    for (const [oldest] of this.#invocations) {
      this.#invocations.delete(oldest);
      return;
    }
  }

  async #row(runId: string): Promise<RunRow | undefined> {
    const { rows } = this.#options;
    const known = this.#invocations.get(runId);
    const row = known === undefined ? undefined : await rows.byInvocation(known);
    return row ?? rows.byId(runId);
  }

  /** A run that the engine has taken and whose row it does not show yet: after a restart that takes a moment. */
  async #belated(runId: string): Promise<RunRow | undefined> {
    const { api, names, workflows } = this.#options;
    const asked = [...workflows.keys()].map((name) => api.hasRun(names.of(name), runId));
    if (!(await Promise.all(asked)).includes(true)) return undefined;
    const row = await patiently(() => this.#row(runId));
    if (row) return row;
    throw new EngineUnavailable(`Restate has run ${runId} and does not show it yet: try again`);
  }
}
