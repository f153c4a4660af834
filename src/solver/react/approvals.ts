/** A human's word on calls: bound to place, call id and canonical arguments; the first one holds, a rejection for the whole run. */
import { hash } from 'node:crypto';
import { canonicalJson } from '../../core/json.ts';
import type { Decision, PreparedCall, TurnState } from '../../core/turn.ts';
import { prepareArguments } from '../../tools/arguments.ts';
import { decide } from '../../tools/policy/policy.ts';
import type { Run } from '../solver.ts';

/** Waits for the word on each request of a turn; they are asked together. */
export async function approvals(state: TurnState, requests: readonly PreparedCall[], run: Run): Promise<TurnState> {
  const decided = new Map<string, PreparedCall>();
  await Promise.all(
    requests.map(async (call) => {
      decided.set(call.callId, await decidedCall(call, run));
    }),
  );
  return { ...state, pending: state.pending.map((call) => decided.get(call.callId) ?? call) };
}

/**
 * Waits for the word on one call and gives the call as decided. `again` tells several questions about the same call apart. A human
 * who changes the arguments makes it another call: with its own key, and the first one counts as rejected.
 */
export async function decidedCall(call: PreparedCall, run: Run, again = 0): Promise<PreparedCall> {
  const { why, sources } = call.verdict.type === 'ask' ? call.verdict : { why: '' };
  const signal = approvalSignal(run.path, call, again);
  const effect = run.tools.get(call.tool)?.effect;
  run.emit({
    ...{ type: 'approval.requested', signal, tool: call.tool, args: call.args, why },
    ...(effect && { effect }),
    ...(sources && { sources }),
  });
  const decision = (await run.durable.waitFor<Decision>(signal)) ?? {
    approved: false,
    reason: 'nobody answered in time',
  };
  run.emit({ type: 'approval.decided', signal, approved: decision.approved, reason: decision.reason ?? '' });
  if (!decision.approved) {
    run.rejections.set(call.key, decision.reason ?? 'no reason was given');
    return withDecision(call, decision, why);
  }
  return decision.args === undefined ? withDecision(call, decision, why) : changed(call, decision, run);
}

function withDecision(call: PreparedCall, decision: Decision, why: string): PreparedCall {
  return { ...call, verdict: { type: 'ask', why, decision } };
}

/** The call the human wrote instead, validated like any other. */
function changed(call: PreparedCall, decision: Decision, run: Run): PreparedCall {
  run.rejections.set(call.key, 'the human changed its arguments');
  const tool = run.tools.get(call.tool);
  if (!tool) return withDecision(call, decision, '');
  const prepared = prepareArguments(JSON.stringify(decision.args), tool.input);
  if (!prepared.ok) {
    const reason = `the human changed its arguments, but ${prepared.message}`;
    return withDecision(call, { approved: false, reason }, '');
  }
  // What a human wrote is nobody's text but theirs; what the policy forbids stays forbidden.
  const provenance = { given: { task: '', notes: [] }, observations: [] };
  const { action, why } = decide(tool, prepared.args, { policy: run.policy, provenance });
  if (action === 'deny')
    return withDecision(call, { approved: false, reason: `the changed call is denied: ${why}` }, '');
  const key = `${tool.name} ${canonicalJson(prepared.args)}`;
  return { ...call, args: prepared.args, key, changed: true, verdict: { type: 'ask', why: '', decision } };
}

/** The signal that carries the decision on one call: bound to its place, its id and its canonical arguments (invariant 6). */
export function approvalSignal(path: string, call: Pick<PreparedCall, 'callId' | 'key'>, again = 0): string {
  const bound = hash('sha256', call.key).slice(0, 12);
  const count = again === 0 ? '' : `-${again}`;
  return `approve:${path === '' ? '' : `${path}/`}${bound}${count}:${call.callId}`;
}
