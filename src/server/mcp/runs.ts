/** How the tools reach runs. */
import type { Agent, RunOptions, TaskInput } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Decision } from '../../core/turn.ts';
import type { RunHandle } from '../../run-handle.ts';
import type { RunInfo } from '../../runtime/durable.ts';
import { type WaitingCall, waitingCalls } from '../approvals.ts';

/** A handle in an object, since a handle is itself a promise. */
type Started = { run: RunHandle } | Promise<{ run: RunHandle }>;

/** The runs a client may touch. What is another's has to look like what is not there. */
export interface McpRuns {
  start(task: TaskInput, options: RunOptions): Started;
  resume(runId: string): Started;
  decide(runId: string, signal: string, decision: Decision): Promise<'delivered' | 'already' | 'no-such-run'>;
  info(runId: string): Promise<RunInfo | undefined>;
}

/** All runs of an agent's host. */
export function allRuns(agent: Agent): McpRuns {
  return {
    start: (task, options) => ({ run: agent.run(task, options) }),
    resume: (runId) => ({ run: agent.resume(runId) }),
    decide: (runId, signal, decision) => agent.decide(runId, signal, decision),
    info: (runId) => agent.host.info(runId),
  };
}

/** The calls of a run that wait. A suspended run is replayed for what it asks; that costs nothing and asks no model. */
export async function waitingIn(runs: McpRuns, runId: string): Promise<{ info: RunInfo; waiting: WaitingCall[] }> {
  const info = await runs.info(runId);
  if (!info) throw new UsageError(`There is no run '${runId}'. The result of solve names the run under run_id.`);
  if (info.state !== 'suspended') return { info, waiting: [] };
  const { run } = await runs.resume(runId);
  const events: RunEvent[] = [];
  for await (const event of run) if (event.type === 'approval.requested') events.push(event);
  return { info, waiting: waitingCalls(info, events) };
}
