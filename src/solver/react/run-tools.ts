/** Runs the pending calls of a turn and answers every one of them, in call order, whatever finished first (invariant 7). */
import type { Observation } from '../../core/attempt.ts';
import type { BudgetLimit } from '../../core/budget.ts';
import { append } from '../../core/transcript.ts';
import type { PreparedCall, SeenCall, TurnState } from '../../core/turn.ts';
import { executeCall, type Outcome } from '../../tools/execute.ts';
import type { Run } from '../solver.ts';
import { decidedCall } from './approvals.ts';
import { resultCharacters } from './context-room.ts';
import { fenced } from './prompts.ts';
import { type CallResult, protocolOf } from './protocol.ts';

/** Characters of a result shown in events. */
const previewCharacters = 160;

/** Reads of one turn that run side by side. */
const sideBySide = 8;

/** A human is asked about one call this often at most: a stricter policy, then crashes in the middle of it. */
const maxQuestions = 3;

export interface ToolsRun {
  state: TurnState;
  /** The limit for which the budget refused a call. */
  limited: BudgetLimit | undefined;
}

/** A pending call. `id` is set for those that become observations, and `outcome` when it ran. */
interface Slot {
  /** Another one after a human changed its arguments. */
  call: PreparedCall;
  readonly id: Observation['id'] | undefined;
  outcome: Outcome | undefined;
}

/** Reads run side by side; with an effect among them the calls run one after the other, in order. */
export async function runTools(state: TurnState, run: Run): Promise<ToolsRun> {
  const slots = numbered(state);
  const waiting = slots.values();
  const lane = async (): Promise<void> => {
    for (const slot of waiting) await carryOut(slot, run);
  };
  if (slots.length > 1 && readsOnly(slots, run)) {
    await Promise.all(Array.from({ length: Math.min(sideBySide, slots.length) }, lane));
  } else await lane();
  return answered(slots, state, run);
}

/** Numbers are given before anything runs, in call order (DESIGN section 2). */
function numbered(state: TurnState): Slot[] {
  let last = state.observations.length;
  return state.pending.map((call) => ({
    call,
    id: call.verdict.type === 'answer' ? undefined : `obs-${++last}`,
    outcome: undefined,
  }));
}

function readsOnly(slots: readonly Slot[], run: Run): boolean {
  return slots.every(({ call }) => call.verdict.type !== 'ask' && run.tools.get(call.tool)?.effect === 'read');
}

/** Executes a call; where its outcome is a question, a human answers it first. */
async function carryOut(slot: Slot, run: Run): Promise<void> {
  const { id } = slot;
  if (!id) return;
  for (let asked = 1; ; asked++) {
    const { call } = slot;
    if (run.watched && (asked === 1 || call.changed))
      run.emit({ type: 'tool.call', tool: call.tool, args: call.args, observation: id });
    const outcome = await executeCall(call, run);
    slot.outcome = outcome;
    if (outcome.question === undefined || asked > maxQuestions) return;
    const decided = await decidedCall({ ...call, verdict: { type: 'ask', why: outcome.question } }, run, asked);
    const decision = decided.verdict.type === 'ask' ? decided.verdict.decision : undefined;
    if (!decision?.approved) {
      slot.outcome = {
        ...outcome,
        content: `${outcome.content} A human was asked and said no: ${decision?.reason ?? ''}`,
      };
      return;
    }
    slot.call = decided;
  }
}

const humanChanged = 'A human changed the arguments of this call; this is the result of the changed call.\n';

/** The state with a result for every call. */
function answered(slots: readonly Slot[], state: TurnState, run: Run): ToolsRun {
  const observations: Observation[] = [];
  const seen: SeenCall[] = [];
  const results: CallResult[] = [];
  let { faults, repeats } = state;
  let limited: BudgetLimit | undefined;
  const max = resultCharacters(state, run, slots.length);
  for (const { call, id, outcome } of slots) {
    if (id && outcome) {
      const observation = observe(call, id, { outcome, run });
      observations.push(observation);
      if (outcome.limited) limited ??= outcome.limited;
      else seen.push({ key: call.key, status: outcome.status, content: outcome.content });
      const text = fenced(observation, run.boundary, { max });
      results.push({
        callId: call.callId,
        tool: call.tool,
        text: call.changed ? `${humanChanged}${text}` : text,
        failed: false,
      });
    } else if (call.verdict.type === 'answer') {
      const { text, fault, cause = 'invalid' } = call.verdict;
      if (fault) {
        faults++;
        run.emit({ type: 'tool.refused', tool: call.tool, why: text, cause });
      }
      if (cause === 'repeat') repeats++;
      results.push({ callId: call.callId, tool: call.tool, text, failed: fault });
    }
  }
  return {
    state: {
      ...state,
      transcript: append(state.transcript, protocolOf(run).results(results)),
      observations: [...state.observations, ...observations],
      seen: [...state.seen, ...seen],
      faults,
      repeats,
      pending: [],
    },
    limited,
  };
}

function observe(call: PreparedCall, id: Observation['id'], made: { outcome: Outcome; run: Run }): Observation {
  const { outcome, run } = made;
  if (run.watched) {
    run.emit({
      type: 'tool.result',
      tool: call.tool,
      observation: id,
      status: outcome.status,
      chars: outcome.content.length,
      preview: outcome.content.slice(0, previewCharacters),
      ms: outcome.span ? outcome.span.to - outcome.span.from : 0,
      ...(outcome.limited && { limited: outcome.limited }),
    });
  }
  const trust = run.tools.get(call.tool)?.trust ?? 'untrusted';
  const observation: Observation = {
    id,
    path: run.path,
    tool: call.tool,
    // The key holds the arguments as JSON: where it is clean, they are.
    args: run.redact(call.key) === call.key ? call.args : run.redactJson(call.args),
    status: outcome.status,
    content: outcome.content,
    trust,
  };
  run.onObservation?.(observation, outcome);
  return observation;
}
