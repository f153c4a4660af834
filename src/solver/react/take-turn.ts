/** One turn: the model speaks, code judges, tools run. With calls pending (an approval came in) no model is asked. */
import type { BudgetLimit } from '../../core/budget.ts';
import { append, seal, userMessage } from '../../core/transcript.ts';
import type { PreparedCall, TurnOutcome, TurnState } from '../../core/turn.ts';
import { callModel } from '../../model/model.ts';
import { dateLine } from '../../model/run-text.ts';
import type { Run } from '../solver.ts';
import { resultCharacters, roomFor, withCount } from './context-room.ts';
import { control, finalName } from './control.ts';
import { acceptedFinal, refuseFinal } from './final-answer.ts';
import { prepareCall, type RawCall } from './guards.ts';
import { notRun } from './prompts.ts';
import { protocolOf, specsOf } from './protocol.ts';
import { type Reading, readReply } from './read-reply.ts';
import { runTools } from './run-tools.ts';

/** Takes one turn from a state. `last` forces `final`, paid from the kept slice; nothing else runs then. */
export async function takeTurn(from: TurnState, run: Run, options: { last?: boolean } = {}): Promise<TurnOutcome> {
  if (from.pending.length > 0) return act(from, run);
  // Kept in the state, so that the next turn seals its own messages only.
  const state = { ...from, transcript: seal(from.transcript) };
  const last = options.last ?? false;
  const protocol = protocolOf(run);
  const tools = specsOf(run, state);
  const room = roomFor(state, run, last);
  if ('ended' in room) return { type: 'failed', state, ended: room.ended };
  if (run.watched) run.emit({ type: 'turn.start', turn: state.turn + 1 });
  const reply = await callModel(run, {
    step: 'turn',
    role: 'actor',
    transcript: state.transcript,
    ...protocol.request(tools, last),
    lastAnswer: last,
    maxOutputTokens: room.maxOutputTokens,
  });
  if (reply.type === 'refused') return outOf(reply.limit, state);
  if (reply.type === 'error')
    return { type: 'failed', state, ended: { type: 'fault', fault: 'model-error', detail: reply.message } };
  return await applyReading(
    readReply(reply, { protocol, used: state.callIds, turn: state.turn, tools }),
    { ...withCount(state, reply, run), turn: state.turn + 1 },
    { run, last },
  );
}

function applyReading(
  reading: Reading,
  state: TurnState,
  { run, last }: { run: Run; last: boolean },
): TurnOutcome | Promise<TurnOutcome> {
  if (reading.type === 'refused')
    return { type: 'failed', state, ended: { type: 'fault', fault: 'refused', detail: reading.text } };
  if (reading.type === 'invalid') {
    run.emit({ type: 'turn.invalid', why: reading.feedback });
    const transcript = append(state.transcript, reading.said, userMessage(reading.feedback));
    const emptyTurns = reading.empty ? state.emptyTurns + 1 : 0;
    return { type: 'continue', state: { ...state, transcript, faults: state.faults + 1, emptyTurns } };
  }
  if (reading.repairs.length > 0) run.emit({ type: 'model.repaired', step: 'turn', how: reading.repairs });
  const { calls } = reading;
  const spoken: TurnState = {
    ...state,
    transcript: append(state.transcript, reading.said),
    emptyTurns: 0,
    callIds: [...state.callIds, ...calls.map((call) => call.callId)],
  };
  const final = acceptedFinal(calls);
  if (final) {
    return { type: 'final', final: final.final, state: { ...spoken, openFinal: final.callId } };
  }
  if (last) {
    // What it called instead is left out of the transcript, so that no call of it is without a result.
    run.emit({ type: 'turn.invalid', why: 'the last turn takes nothing but final' });
    return { type: 'continue', state: { ...state, faults: state.faults + 1 } };
  }
  return act(judgeCalls(calls, spoken, run), run);
}

function judgeCalls(calls: readonly RawCall[], state: TurnState, run: Run): TurnState {
  const pending: PreparedCall[] = [];
  let current = state;
  for (const raw of calls) {
    const answered = withoutRunning(raw, calls, run);
    const controlled = answered
      ? undefined
      : control(raw, current, run, () => resultCharacters(state, run, calls.length));
    if (controlled) current = controlled.state;
    const answer = answered ?? (controlled && { text: controlled.text, fault: controlled.fault });
    pending.push(
      answer
        ? {
            callId: raw.callId,
            tool: raw.tool,
            args: raw.input,
            key: `${raw.tool} ${raw.input}`,
            verdict: { type: 'answer', ...answer },
          }
        : prepareCall(raw, { state: current, run, inTurn: pending }),
    );
  }
  return { ...current, pending };
}

/** What answers a call whatever it asks for: it has to stand alone, or it does not. */
function withoutRunning(
  raw: RawCall,
  calls: readonly RawCall[],
  run: Run,
): { text: string; fault: boolean } | undefined {
  if (raw !== calls[0] && protocolOf(run).oneCall) return { text: notRun, fault: false };
  return raw.tool === finalName ? refuseFinal(raw, calls.length) : undefined;
}

/** Nobody has decided on it yet. */
function isOpen({ verdict }: PreparedCall): boolean {
  return verdict.type === 'ask' && !verdict.decision;
}

async function act(state: TurnState, run: Run): Promise<TurnOutcome> {
  if (state.pending.some(isOpen)) return { type: 'needs-approval', state, requests: state.pending.filter(isOpen) };
  const { state: done, limited } = await runTools(state, run);
  if (limited) return outOf(limited, done);
  return { type: 'continue', state: withDate(done, run) };
}

function outOf(limit: BudgetLimit, state: TurnState): TurnOutcome {
  return { type: 'failed', state, ended: { type: 'limit', limit, detail: `the limit ${limit} is used up` } };
}

/** A changed fact is appended as a new message and stays (invariant 12). Plan status is in the results of `update_plan`. */
function withDate(state: TurnState, run: Run): TurnState {
  const date = dateOf(run.durable.now());
  if (date === state.date) return state;
  const fact = userMessage(`The day has changed. ${dateLine(date)}`);
  return { ...state, date, transcript: append(state.transcript, fact) };
}

let lastDay = { day: Number.NaN, text: '' };

/** The day of a time in milliseconds, as YYYY-MM-DD in UTC. */
export function dateOf(time: number): string {
  const day = Math.floor(time / 86_400_000);
  if (day !== lastDay.day) lastDay = { day, text: new Date(time).toISOString().slice(0, 10) };
  return lastDay.text;
}
