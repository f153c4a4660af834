import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import type { Decision } from '../../core/turn.ts';
import type { RunHandle } from '../../run-handle.ts';
import { type WaitingCall, waitingCalls } from '../approvals.ts';
import { progressText } from '../chat/progress-text.ts';
import { askHuman, canAsk } from './ask-human.ts';
import { type McpRuns, waitingIn } from './runs.ts';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface Following {
  server: McpServer;
  runs: McpRuns;
  extra: Extra;
  approvalMs: number;
  /** The connection has ended: nobody cancelled, nobody listens. */
  isClosed(): boolean;
}

/**
 * Follows a run until it ends or waits for a human whom the client cannot ask. Events become progress; the client's cancellation cancels
 * the run, the end of its connection does not.
 */
export async function followRun(
  first: RunHandle,
  following: Following,
): Promise<{ result: Result; waiting: WaitingCall[] }> {
  const followed = { run: first };
  const stopListening = cancelWith(followed, following);
  try {
    return await untilItEnds(followed, following);
  } finally {
    stopListening();
  }
}

async function untilItEnds(
  followed: { run: RunHandle },
  { server, runs, extra, approvalMs }: Following,
): Promise<{ result: Result; waiting: WaitingCall[] }> {
  const tell = progressTo(extra);
  for (;;) {
    const { run } = followed;
    const approvals = await heard(run, tell);
    const result = await run.result;
    if (result.status !== 'awaiting_approval') return { result, waiting: [] };
    const waiting = await stillWaiting(runs, run.id, approvals);
    const asking = { server, requestId: extra.requestId, signal: extra.signal, timeoutMs: approvalMs };
    const decisions = canAsk(server) ? await askAll(waiting, asking) : [];
    if (decisions.length === 0 || extra.signal.aborted) return { result, waiting };
    // First the run, then the word it waits for: what it asks next is heard.
    followed.run = (await runs.resume(run.id)).run;
    void decide(runs, run.id, decisions);
  }
}

/** What the run waits for; what it asked before somebody listened, as when others wake it, is looked up. */
async function stillWaiting(runs: McpRuns, runId: string, approvals: readonly RunEvent[]): Promise<WaitingCall[]> {
  const info = await runs.info(runId);
  const heardOf = info ? waitingCalls(info, approvals) : [];
  return heardOf.every(({ request }) => request) ? heardOf : (await waitingIn(runs, runId)).waiting;
}

type Answered = { signal: string; decision: Decision };

async function askAll(waiting: readonly WaitingCall[], asking: Parameters<typeof askHuman>[1]): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const call of waiting) {
    const decision = await askHuman(call, asking);
    if (decision) answered.push({ signal: call.signal, decision });
  }
  return answered;
}

/** A decision that cannot be written leaves the call waiting, which the run's next suspension tells. */
async function decide(runs: McpRuns, runId: string, decisions: readonly Answered[]): Promise<void> {
  for (const { signal, decision } of decisions) await runs.decide(runId, signal, decision).catch(() => undefined);
}

/** Tells what happens, and gives what was asked and decided. */
async function heard(run: RunHandle, tell: (text: string) => void): Promise<RunEvent[]> {
  const approvals: RunEvent[] = [];
  for await (const event of run) {
    if (event.type === 'approval.requested' || event.type === 'approval.decided') approvals.push(event);
    const text = event.live ? progressText(event) : undefined;
    if (text !== undefined) tell(text);
  }
  return approvals;
}

function progressTo(extra: Extra): (text: string) => void {
  const progressToken = extra._meta?.progressToken;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress: ++progress, message };
    // A client that is gone hears nothing, which is no fault of the run.
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Cancels the run when the request is cancelled, also while a human is asked. Gives what ends that. */
function cancelWith(followed: { run: RunHandle }, { extra, isClosed }: Following): () => void {
  const cancel = (): void => {
    // The SDK aborts its requests before it tells that the connection has ended.
    queueMicrotask(() => {
      if (!isClosed()) followed.run.cancel().catch(() => {});
    });
  };
  if (extra.signal.aborted) cancel();
  extra.signal.addEventListener('abort', cancel, { once: true });
  return () => extra.signal.removeEventListener('abort', cancel);
}
