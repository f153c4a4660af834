/** A Restate host and its worker as one host in one process, as the contract suite opens them. */
import type {
  DurableHost,
  ForkOptions,
  JournalEntry,
  RunBeginning,
  RunInfo,
  Workflow,
} from '../../src/runtime/durable.ts';
import type { RestateHost } from '../../src/runtime/restate.ts';
import { type RestateWorker, type RestateWorkerOptions, restateHost, serveRestate } from '../../src/runtime/restate.ts';

export interface EmbeddedOptions extends Omit<RestateWorkerOptions, 'workflows' | 'listen'> {
  ingress: string;
  admin: string;
  namespace: string;
  /** Of the worker: hosts with the same port are the same worker after a restart. */
  port: number;
}

/** Serves what is registered, from the first call on. */
export class EmbeddedRestate implements DurableHost {
  readonly #options: EmbeddedOptions;
  readonly #host: RestateHost;
  #worker: Promise<RestateWorker> | undefined;
  #closed = false;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
    this.#host = restateHost({ ...options, pollMs: 10 });
  }

  register(workflow: Workflow): void {
    this.#host.register(workflow);
  }

  async start(workflow: string, runId: string, input: unknown): Promise<'started' | 'exists'> {
    await this.#serve();
    return this.#host.start(workflow, runId, input);
  }

  async resume(runId: string): Promise<'resumed' | 'live' | 'finished' | 'no-such-run'> {
    await this.#serve();
    return this.#host.resume(runId);
  }

  async signal(runId: string, name: string, value: unknown): Promise<'delivered' | 'already' | 'no-such-run'> {
    await this.#serve();
    return this.#host.signal(runId, name, value);
  }

  async cancel(runId: string): Promise<void> {
    await this.#serve();
    return this.#host.cancel(runId);
  }

  async result(runId: string, options?: { waitMs?: number }): Promise<RunInfo> {
    await this.#serve();
    return this.#host.result(runId, options);
  }

  async beginning(runId: string): Promise<RunBeginning | undefined> {
    return this.#host.beginning(runId);
  }

  async info(runId: string): Promise<RunInfo | undefined> {
    return this.#host.info(runId);
  }

  async list(query?: Parameters<DurableHost['list']>[0]): Promise<RunInfo[]> {
    return this.#host.list(query);
  }

  journal(runId: string): AsyncIterable<JournalEntry> {
    return this.#host.journal(runId);
  }

  async fork(runId: string, newRunId: string, options: ForkOptions): Promise<'started' | 'exists' | 'no-such-run'> {
    await this.#serve();
    return this.#host.fork(runId, newRunId, options);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const worker = await this.#worker;
    await worker?.close();
    await this.#host.close();
    if (worker) await this.#noticed();
  }

  async #serve(): Promise<void> {
    if (this.#closed || this.#host.workflows.size === 0) return;
    const { port, ...options } = this.#options;
    this.#worker ??= serveRestate({ ...options, workflows: this.#host, listen: { port } });
    await this.#worker;
  }

  /** Until the engine has seen that the worker is gone; a suite that restarts at once would find it believing in it. */
  async #noticed(): Promise<void> {
    const sql = `select id from sys_invocation where status = 'running' and starts_with(target_service_name, '${this.#options.namespace}..')`;
    for (let left = 100; left > 0; left--) {
      const response = await fetch(`${this.#options.admin}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query: sql }),
      });
      // The engine's answer to a query has this shape.
      if (((await response.json()) as { rows: unknown[] }).rows.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
