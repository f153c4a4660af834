/** Handlers of other protocols on the same server: behind the same tokens, limits and tenants. */
import type { RunOptions, TaskInput } from '../agent.ts';
import type { Decision } from '../core/turn.ts';
import type { RunHandle } from '../run-handle.ts';
import type { RunInfo } from '../runtime/durable.ts';
import type { Agents, NamedAgent } from './agents.ts';
import { assertScope } from './guard.ts';
import type { RunFinder } from './run-finder.ts';
import type { RunStarter } from './run-starter.ts';
import type { Principal, Scope } from './tokens.ts';

/**
 * The runs of a principal's tenant, under its budget and scopes and the server's limits; refusals are `Problem`s. A handle comes in an
 * object, since it is a promise itself; iterate it at once, or events are missed.
 */
export interface PrincipalRuns {
  start(
    task: TaskInput,
    options?: Pick<RunOptions, 'budget' | 'signal'> & { agent?: string },
  ): Promise<{ run: RunHandle }>;
  resume(runId: string): Promise<{ run: RunHandle }>;
  decide(runId: string, signal: string, decision: Decision): Promise<'delivered' | 'already' | 'no-such-run'>;
  info(runId: string): Promise<RunInfo | undefined>;
}

export interface MountContext {
  principal: Principal;
  /** The agents of the tenant; the first is the default. */
  agents: readonly NamedAgent[];
  runs: PrincipalRuns;
  /** Aborted when the server goes down. */
  draining: AbortSignal;
}

export interface Mount {
  methods: readonly ('GET' | 'POST' | 'DELETE')[];
  path: string;
  /** For the OpenAPI document. */
  summary: string;
  scope: Scope;
  /** The request has a body within the server's limits, which can still be read. */
  handle(request: Request, context: MountContext): Response | Promise<Response>;
  /** How a refusal by the server is told. Default: as a problem. */
  refuse?(error: unknown): Response | Promise<Response>;
  /** Called when the server goes down. */
  close?(): void | Promise<void>;
}

export interface MountServices {
  agents: Agents;
  finder: RunFinder;
  starter: RunStarter;
  draining: AbortSignal;
}

/** What a mounted handler is given for one request. */
export function mountContext(principal: Principal, services: MountServices): MountContext {
  const { agents, draining } = services;
  return { principal, draining, agents: agents.of(principal.tenant), runs: runsOf(principal, services) };
}

function runsOf(principal: Principal, { finder, starter }: MountServices): PrincipalRuns {
  return {
    async start(task, { budget, signal, agent } = {}) {
      assertScope(principal, 'run');
      const { runId, handle } = await starter.start(principal, { task, agent, budget });
      // Without a key a start begins a run here; should it be over already, this is its Result again.
      const run = handle ?? (await finder.get(principal, runId)).agent.resume(runId);
      if (signal) run.cancelOn(signal);
      return { run };
    },
    async resume(runId) {
      assertScope(principal, 'run');
      const { agent, run } = await finder.get(principal, runId);
      const open = run.state === 'running' || run.state === 'suspended' || run.state === 'parked';
      const resumed = open ? await starter.resume(principal, runId) : undefined;
      return { run: resumed?.handle ?? agent.resume(runId) };
    },
    async decide(runId, signal, decision) {
      assertScope(principal, 'approve');
      const owned = await finder.lookUp(principal, runId);
      return owned ? starter.record(owned, signal, decision) : 'no-such-run';
    },
    info: async (runId) => (await finder.lookUp(principal, runId))?.run,
  };
}
