/** Runs the pending calls of a turn and answers every one of them, in call order, whatever finished first (invariant 7). */
import type { Observation } from '../../core/attempt.ts';
import type { BudgetLimit } from '../../core/budget.ts';
import { append } from '../../core/transcript.ts';
import type { PreparedCall, SeenCall, TurnState } from '../../core/turn.ts';
import { executeCall, type Outcome } from '../../tools/execute.ts';
import type { Run } from '../solver.ts';
import { fenced } from './prompts.ts';
import { type CallResult, protocolOf } from './protocol.ts';

/** Characters of a result shown in events. */
const previewCharacters = 160;

export interface ToolsRun {
  state: TurnState;
  /** The limit for which the budget refused a call. */
  limited: BudgetLimit | undefined;
}

interface Slot {
  call: PreparedCall;
  /** Set for calls that become observations. */
  id?: Observation['id'];
  outcome?: Outcome;
}

export async function runTools(state: TurnState, run: Run): Promise<ToolsRun> {
  const slots = await execute(numbered(state), run);
  const observations: Observation[] = [];
  const seen: SeenCall[] = [];
  const results: CallResult[] = [];
  for (const { call, id, outcome } of slots) {
    if (id && outcome) {
      const observation = observe(call, id, { outcome, run });
      observations.push(observation);
      if (!outcome.limited) seen.push({ key: call.key, status: outcome.status, content: outcome.content });
      results.push({ callId: call.callId, tool: call.tool, text: fenced(observation, run.boundary), failed: false });
    } else if (call.verdict.type === 'answer') {
      const { text, fault } = call.verdict;
      if (fault) run.emit({ type: 'tool.refused', tool: call.tool, why: text });
      results.push({ callId: call.callId, tool: call.tool, text, failed: fault });
    }
  }
  const answers = slots.flatMap(({ call }) => (call.verdict.type === 'answer' ? call.verdict : []));
  const limited = slots.find((slot) => slot.outcome?.limited)?.outcome?.limited;
  return {
    state: {
      ...state,
      transcript: append(state.transcript, protocolOf(run).results(results)),
      observations: [...state.observations, ...observations],
      seen: [...state.seen, ...seen],
      faults: state.faults + answers.filter((answer) => answer.fault).length,
      repeats: state.repeats + answers.filter((answer) => answer.repeat).length,
      pending: [],
    },
    limited,
  };
}

/** Numbers are given before anything runs, in call order. */
function numbered(state: TurnState): Slot[] {
  let last = state.observations.length;
  return state.pending.map((call) =>
    call.verdict.type === 'answer' ? { call } : { call, id: `obs-${++last}` as const },
  );
}

/** Reads run side by side; with an effect among them the calls run one after the other, in order. */
async function execute(slots: Slot[], run: Run): Promise<Slot[]> {
  const one = async (slot: Slot): Promise<Slot> => {
    if (!slot.id) return slot;
    if (run.watched) run.emit({ type: 'tool.call', tool: slot.call.tool, args: slot.call.args, observation: slot.id });
    return { ...slot, outcome: await executeCall(slot.call, run) };
  };
  const effects = slots.some(({ call }) => call.verdict.type === 'ask' || run.tools.get(call.tool)?.effect !== 'read');
  if (!effects && slots.length > 1) return Promise.all(slots.map(one));
  const done: Slot[] = [];
  for (const slot of slots) done.push(await one(slot));
  return done;
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
    });
  }
  const trust = run.tools.get(call.tool)?.trust ?? 'untrusted';
  return {
    id,
    path: run.path,
    tool: call.tool,
    // The key holds the arguments as JSON: where it is clean, they are.
    args: run.redact(call.key) === call.key ? call.args : run.redactJson(call.args),
    status: outcome.status,
    content: outcome.content,
    trust,
  };
}
