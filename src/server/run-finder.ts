/**
 * The runs that a principal may see.
 *
 * 1. Every method takes a principal and reaches the runs of its tenant only; what is another's looks like what is not there.
 * 2. Whose a run is stands in the run's own input. The index is for lists, may be late, and is put right by every look at a run.
 */
import type { DurableHost, RunInfo } from '../runtime/durable.ts';
import type { RunCursor, RunIndex, RunRow, RunRowQuery, RunStatus } from '../runtime/run-index.ts';
import type { EventStore } from '../trace/events.ts';
import type { Agents, NamedAgent } from './agents.ts';
import { notFound } from './problem.ts';
import { recordOf } from './run-record.ts';
import { configurationIn, type RunStanding, rowOf, statusOf } from './run-view.ts';
import type { Principal } from './tokens.ts';

/** A run of the principal's tenant, with the agent it belongs to. */
export interface OwnedRun extends NamedAgent {
  run: RunInfo;
}

/** As many of the newest runs of an agent are looked at for runs that other programs started. */
const lookedFor = 20;

/** What a run began with stands among so many of its first events. */
const firstEvents = 5;

/** It goes on, here or elsewhere, without this index being told. */
const unsettled: ReadonlySet<RunStatus> = new Set(['running', 'interrupted', 'awaiting_approval', 'parked']);

export interface RunFinderOptions {
  agents: Agents;
  index: RunIndex;
  events: Pick<EventStore, 'read'>;
}

export class RunFinder {
  readonly #agents: Agents;
  readonly #index: RunIndex;
  readonly #events: Pick<EventStore, 'read'>;

  constructor({ agents, index, events }: RunFinderOptions) {
    this.#agents = agents;
    this.#index = index;
    this.#events = events;
  }

  /** Throws a `Problem` (404) for what is not there or belongs to another tenant. */
  async get(principal: Principal, runId: string): Promise<OwnedRun> {
    const owned = await this.lookUp(principal, runId);
    if (owned) return owned;
    throw notFound('run');
  }

  async lookUp({ tenant }: Principal, runId: string): Promise<OwnedRun | undefined> {
    for (const host of this.#agents.hosts(tenant)) {
      const run = await host.info(runId);
      const owned = run && this.#owned(tenant, host, run);
      if (owned) return owned;
    }
    return undefined;
  }

  /** A page, newest first; `next` is where the one after it begins. */
  async list(
    principal: Principal,
    query: Omit<RunRowQuery, 'tenant'>,
  ): Promise<{ rows: readonly RunRow[]; next: RunCursor | undefined }> {
    const { tenant } = principal;
    if (query.after === undefined) await this.#findOthers(tenant);
    const page = await this.#index.list({ ...query, tenant });
    const checked = await Promise.all(page.map((row) => this.#upToDate(principal, row)));
    const served = new Set(this.#agents.of(tenant).map(({ name }) => name));
    // What turned out to stand otherwise is no longer what was asked for; what no agent here is for cannot be looked at.
    const rows = checked
      .filter((row) => query.status === undefined || row.status === query.status)
      .filter((row) => served.has(row.agent));
    return { rows, next: page.length === query.limit ? page.at(-1) : undefined };
  }

  /** The runs of the tenant that wait for a human, newest first. */
  async suspended({ tenant }: Principal, limit: number): Promise<OwnedRun[]> {
    const found: OwnedRun[] = [];
    for (const host of this.#agents.hosts(tenant)) {
      const waiting = await host.list({ state: 'suspended' });
      found.push(...waiting.flatMap((run) => this.#owned(tenant, host, run) ?? []));
    }
    return found.sort((a, b) => b.run.created - a.run.created).slice(0, limit);
  }

  /** Runs of every tenant that say they are running. */
  async running(): Promise<OwnedRun[]> {
    const found: OwnedRun[] = [];
    for (const host of new Set(this.#agents.all().map((agent) => agent.host))) {
      const running = await host.list({ state: 'running' });
      found.push(
        ...running.flatMap((run) => {
          const record = recordOf(run);
          return (record && this.#owned(record.tenant, host, run)) ?? [];
        }),
      );
    }
    return found;
  }

  /** How a run stands. */
  async status(owned: OwnedRun): Promise<RunStatus> {
    return (await this.standing(owned)).status;
  }

  /** How a run stands, and what it says of itself. */
  async standing(owned: OwnedRun): Promise<RunStanding> {
    const { agent, name, run } = owned;
    const status = await statusOf(agent.host, run);
    const kept = await this.#index.get(run.id);
    const configuration = kept?.configuration ?? (await this.#configurationOf(run.id));
    const standing = { agent: name, status, configuration };
    const row = rowOf(run, standing);
    const isKept = kept?.status === status && kept.updated === row?.updated && kept.configuration === row.configuration;
    if (row && !isKept) await this.#index.put(row);
    return standing;
  }

  /** Puts a run in the index as its execution here left it. */
  async note({ name, run }: OwnedRun, status: RunStatus): Promise<void> {
    const row = rowOf(run, { agent: name, status, configuration: await this.#configurationOf(run.id) });
    if (row) await this.#index.put(row);
  }

  async #configurationOf(runId: string): Promise<string | undefined> {
    return configurationIn(await this.#events.read(runId, { limit: firstEvents }));
  }

  async #findOthers(tenant: string): Promise<void> {
    for (const { agent, workflow } of this.#agents.of(tenant)) {
      for (const run of await agent.host.list({ workflow, limit: lookedFor })) {
        if ((await this.#index.get(run.id)) !== undefined) continue;
        const owned = this.#owned(tenant, agent.host, run);
        if (owned) await this.status(owned);
      }
    }
  }

  async #upToDate(principal: Principal, row: RunRow): Promise<RunRow> {
    if (!unsettled.has(row.status)) return row;
    const owned = await this.lookUp(principal, row.id);
    if (!owned) return row;
    return rowOf(owned.run, await this.standing(owned)) ?? row;
  }

  #owned(tenant: string, host: DurableHost, run: RunInfo): OwnedRun | undefined {
    const named = recordOf(run)?.tenant === tenant ? this.#agents.ownerOf(tenant, host, run) : undefined;
    return named && { ...named, run };
  }
}
