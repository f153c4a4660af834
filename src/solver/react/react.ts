/**
 * The loop: check the stop conditions, take a turn, repeat (ReAct, Yao et al. 2023, section 2).
 *
 * Only an explicit `final` ends it well. Whatever else ends it, what was found is kept and one last answer is asked for.
 * `brief.revise`: goes on with the transcript of that attempt; its open `final` gets the issues as its result.
 */
import type { Attempt, Ending, Final } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { append, userMessage } from '../../core/transcript.ts';
import type { TurnState } from '../../core/turn.ts';
import type { NamedSolver, Run } from '../solver.ts';
import { approvals } from './approvals.ts';
import { finalName } from './control.ts';
import { opening } from './opening.ts';
import { lastChance, rejectionText, withRevised } from './prompts.ts';
import { protocolOf } from './protocol.ts';
import {
  firstStop,
  maxEmptyTurns,
  maxFaults,
  maxRepeats,
  maxSteps,
  noProgress,
  type StopCondition,
} from './stop-conditions.ts';
import { dateOf, takeTurn } from './take-turn.ts';

export interface ReactOptions {
  /** Turns of one attempt, revisions not counted in. Default 12. */
  maxSteps?: number;
  /** Refused calls, invented tools and empty turns together. Default 5. */
  maxFaults?: number;
  /** More conditions, checked before each turn. */
  stopWhen?: readonly StopCondition[];
}

export function react(options: ReactOptions = {}): NamedSolver {
  const limits = { maxSteps: options.maxSteps ?? 12, maxFaults: options.maxFaults ?? 5 };
  const conditions = [
    maxSteps(limits.maxSteps),
    maxFaults(limits.maxFaults),
    maxEmptyTurns(3),
    maxRepeats(3),
    noProgress(8),
    ...(options.stopWhen ?? []),
  ];
  return { name: 'react', config: limits, solve: (brief, run) => loop(brief, run, conditions) };
}

async function loop(brief: Brief, run: Run, conditions: readonly StopCondition[]): Promise<Attempt> {
  let state = start(brief, run);
  for (;;) {
    const stop = firstStop(conditions, state);
    if (stop) return lastAnswer(state, run, stop);
    const outcome = await takeTurn(state, run);
    switch (outcome.type) {
      case 'continue':
        state = outcome.state;
        run.keep(() => unfinished(outcome.state, brief));
        break;
      case 'needs-approval':
        run.keep(() => unfinished(outcome.state, brief));
        state = await approvals(outcome.state, outcome.requests, run);
        break;
      case 'final':
        return drafted(attemptOf(outcome.state, outcome.final, { type: 'final' }), run);
      case 'failed':
        return lastAnswer(outcome.state, run, outcome.ended);
      default:
        outcome satisfies never;
    }
  }
}

const interrupted: Ending = { type: 'limit', limit: 'interrupted', detail: 'the attempt was not finished' };

/** What an interruption leaves: the attempt under revision keeps its answer until there is a better one. */
function unfinished(state: TurnState, brief: Brief): Attempt {
  const revised = brief.revise?.attempt;
  if (revised?.answer === undefined) return attemptOf(state, undefined, interrupted);
  return { ...revised, observations: state.observations, plan: state.plan, state };
}

/** The state an attempt begins with. */
export function start(brief: Brief, run: Run): TurnState {
  const prior = brief.revise?.attempt.state;
  if (brief.revise && prior) return revised(prior, rejectionText(brief.revise.issues), run);
  const date = dateOf(run.durable.now());
  const { plan, evidence, task, notes } = withRevised(brief);
  return {
    transcript: opening(brief, run, date),
    given: {
      task: [task.input, ...task.constraints].join('\n'),
      notes: notes.filter(({ from }) => from !== 'advice').map(({ text }) => text),
    },
    observations: evidence,
    pending: [],
    seen: [],
    callIds: [],
    turn: 0,
    faults: 0,
    emptyTurns: 0,
    repeats: 0,
    date,
    plan,
  };
}

function revised(prior: TurnState, text: string, run: Run): TurnState {
  const { openFinal, ...rest } = prior;
  const message = openFinal
    ? protocolOf(run).results([{ callId: openFinal, tool: finalName, text, failed: true }])
    : userMessage(text);
  return { ...rest, turn: 0, faults: 0, repeats: 0, transcript: append(prior.transcript, message) };
}

/** Nothing found is lost: one more turn on the same transcript with `final` forced, paid from the kept slice, marked degraded. */
async function lastAnswer(state: TurnState, run: Run, ended: Ending): Promise<Attempt> {
  if (ended.type === 'fault' && ended.fault !== 'too-many-faults') return attemptOf(state, undefined, ended);
  const asked = { ...state, pending: [], transcript: append(state.transcript, userMessage(lastChance)) };
  const outcome = await takeTurn(asked, run, { last: true });
  return drafted(attemptOf(outcome.state, outcome.type === 'final' ? outcome.final : undefined, ended), run);
}

function drafted(attempt: Attempt, run: Run): Attempt {
  const { answer, claims, degraded } = attempt;
  if (answer !== undefined) run.emit({ type: 'answer.drafted', answer: answer, claims: claims.length, degraded });
  return attempt;
}

/** An attempt as the loop leaves it: not yet judged. */
export function attemptOf(state: TurnState, final: Final | undefined, ended: Ending): Attempt {
  return {
    ...(final && { answer: final.answer }),
    claims: final?.claims ?? [],
    observations: state.observations,
    ...(state.plan && { plan: state.plan }),
    reports: [],
    drafts: [],
    ended,
    degraded: ended.type !== 'final',
    revisions: 0,
    state,
  };
}
