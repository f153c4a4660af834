import { hash } from 'node:crypto';
import type { Decision, PreparedCall, TurnState } from '../../core/turn.ts';
import type { Run } from '../solver.ts';

/** Waits for a human's word on each request; a rejection holds for the same call for the rest of the run. */
export async function approvals(state: TurnState, requests: readonly PreparedCall[], run: Run): Promise<TurnState> {
  const decisions = new Map<string, Decision>();
  const decide = async (call: PreparedCall): Promise<void> => {
    const signal = approvalSignal(run.path, call);
    const why = call.verdict.type === 'ask' ? call.verdict.why : '';
    run.emit({ type: 'approval.requested', signal, tool: call.tool, args: call.args, why });
    const decision = (await run.durable.waitFor<Decision>(signal)) ?? {
      approved: false,
      reason: 'nobody answered in time',
    };
    run.emit({ type: 'approval.decided', signal, approved: decision.approved, reason: decision.reason ?? '' });
    if (!decision.approved) run.rejections.set(call.key, decision.reason ?? 'no reason was given');
    decisions.set(call.callId, decision);
  };
  await Promise.all(requests.map(decide));
  const pending = state.pending.map((call): PreparedCall => {
    const decision = decisions.get(call.callId);
    return decision && call.verdict.type === 'ask' ? { ...call, verdict: { ...call.verdict, decision } } : call;
  });
  return { ...state, pending };
}

/** The signal that carries the decision on one call: bound to its place, its id and its canonical arguments (invariant 6). */
export function approvalSignal(path: string, call: Pick<PreparedCall, 'callId' | 'key'>): string {
  const bound = hash('sha256', call.key).slice(0, 12);
  return `approve:${path === '' ? '' : `${path}/`}${bound}:${call.callId}`;
}
