import { canonicalJson } from '../../core/json.ts';
import type { PreparedCall, RefusalCause, SeenCall, TurnState, Verdict } from '../../core/turn.ts';
import { prepareArguments } from '../../tools/arguments.ts';
import { resolveToolName } from '../../tools/names.ts';
import { lockedOut } from '../../tools/policy/plan-lock.ts';
import { decide } from '../../tools/policy/policy.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Run } from '../solver.ts';
import { specsOf } from './protocol.ts';
import { cameOutAlike } from './stop-conditions.ts';

/** A call as the model wrote it. */
export interface RawCall {
  callId: string;
  tool: string;
  /** JSON text. */
  input: string;
  /** The text was not valid JSON and had to be repaired by guessing. */
  guessed: boolean;
}

/** The same call with the same outcome this often is blocked the next time (invariant 5). */
const repetitions = 2;

/**
 * Judges a call by code: canonical name, validated arguments, repetition, speculation, policy, earlier rejection. A refusal is
 * an answer to the model and costs a fault; it is not an observation and cannot be cited.
 */
export function prepareCall(
  raw: RawCall,
  context: { state: TurnState; run: Run; inTurn: readonly PreparedCall[] },
): PreparedCall {
  const { run, state } = context;
  const tool = run.tools.get(raw.tool) ?? meantTool(raw.tool, state, run);
  if (typeof tool === 'string') return refused(raw, tool);
  const prepared = prepareArguments(raw.input, tool.input);
  if (!prepared.ok) return refused({ ...raw, tool: tool.name }, prepared.message);
  if ((raw.guessed || prepared.guessed) && tool.effect !== 'read') {
    return refused(
      { ...raw, tool: tool.name },
      'The call was not valid JSON, or stood in a sentence, and could only be guessed; send it again as strict JSON, alone.',
    );
  }
  const key = `${tool.name} ${canonicalJson(prepared.args)}`;
  const verdict = judge(tool, prepared.args, { key, state, run, inTurn: context.inTurn });
  return { callId: raw.callId, tool: tool.name, args: prepared.args, key, verdict };
}

/** The tool that is meant by another name, or why there is none. */
function meantTool(name: string, state: TurnState, run: Run): Tool | string {
  const named = resolveToolName(
    name,
    specsOf(run, state).map((spec) => spec.name),
  );
  return named.ok ? (run.tools.get(named.name) ?? `no tool is named '${name}'`) : named.message;
}

function refused(raw: RawCall, text: string): PreparedCall {
  return {
    callId: raw.callId,
    tool: raw.tool,
    args: raw.input,
    key: `${raw.tool} ${raw.input}`,
    verdict: refusal(text, 'invalid'),
  };
}

function refusal(text: string, cause: RefusalCause): Verdict {
  return { type: 'answer', text, fault: true, cause };
}

function judge(
  tool: Tool,
  args: unknown,
  call: { key: string; state: TurnState; run: Run; inTurn: readonly PreparedCall[] },
): Verdict {
  const { key, state, run } = call;
  const sameNow = call.inTurn.filter((other) => other.key === key).length;
  if (sameOutcomes(state.seen, key) + sameNow >= repetitions) {
    const text =
      'Blocked: this very call has already given the same outcome twice. Change the arguments, use another tool, or call final with what is known.';
    return refusal(text, 'repeat');
  }
  if (run.speculative && tool.effect !== 'read')
    return refusal(`'${tool.name}' has an effect and ${speculation}`, 'speculative');
  const rejected = run.rejections.get(key);
  if (rejected !== undefined) return refusal(`A human rejected this very call in this run: ${rejected}`, 'denied');
  const locked = lockedOut(tool, state.plan, run.policy);
  if (locked !== undefined) return refusal(`Denied: ${locked}`, 'denied');
  const provenance = { given: state.given, observations: state.observations };
  const { action, why, sources } = decide(tool, args, { policy: run.policy, provenance });
  if (action === 'deny') return refusal(`Denied: ${why}. Do without it or say what is missing.`, 'denied');
  if (action === 'allow') return { type: 'run' };
  return run.speculative
    ? refusal(`'${tool.name}' would need a human's word (${why}) and ${speculation}`, 'speculative')
    : { type: 'ask', why, ...(sources && { sources }) };
}

const speculation = 'this is one of several tries that run side by side: propose it in the answer instead.';

/** How often the call last came out the same; a changed outcome (polling) starts the count anew. */
function sameOutcomes(seen: readonly SeenCall[], key: string): number {
  let last: SeenCall | undefined;
  let count = 0;
  for (let index = seen.length - 1; index >= 0; index--) {
    const call = seen[index];
    if (call?.key !== key) continue;
    if (last && !cameOutAlike(call, last)) break;
    last = call;
    count++;
    if (count >= repetitions) break;
  }
  return count;
}
