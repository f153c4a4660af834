import type { Ending } from '../../core/attempt.ts';
import type { SeenCall, TurnState } from '../../core/turn.ts';

/** Looks at the state before a turn; an ending stops the loop, which then asks for one last answer from the kept slice. */
export type StopCondition = (state: TurnState) => Exclude<Ending, { type: 'final' }> | undefined;

/** Stops after so many turns of one attempt; a revision gets as many again. */
export function maxSteps(limit: number): StopCondition {
  return (state) =>
    state.turn >= limit ? { type: 'limit', limit: 'steps', detail: `${limit} turns were taken` } : undefined;
}

/** Stops when refused calls, invented tools and empty turns together reach the allowance. */
export function maxFaults(limit: number): StopCondition {
  return (state) =>
    state.faults >= limit
      ? { type: 'fault', fault: 'too-many-faults', detail: `${state.faults} calls or turns were refused` }
      : undefined;
}

/** Stops when blocked repetitions of the same calls reach the allowance. */
export function maxRepeats(limit: number): StopCondition {
  return (state) =>
    state.repeats >= limit
      ? {
          type: 'limit',
          limit: 'no-progress',
          detail: `${state.repeats} calls repeated what had already come out the same`,
        }
      : undefined;
}

/** Stops when the model said nothing at all so many turns in a row. */
export function maxEmptyTurns(limit: number): StopCondition {
  return (state) =>
    state.emptyTurns >= limit
      ? { type: 'fault', fault: 'empty-response', detail: `the model returned ${limit} empty replies in a row` }
      : undefined;
}

/** Stops when the last `calls` tool calls, whatever their arguments, brought nothing that was not there before. */
export function noProgress(calls: number): StopCondition {
  return (state) => {
    if (state.seen.length <= calls) return undefined;
    const earlier = state.seen.length - calls;
    const stale = state.seen
      .slice(earlier)
      .every((call) => state.seen.findIndex((other) => cameOutAlike(other, call)) < earlier);
    return stale
      ? { type: 'limit', limit: 'no-progress', detail: `the last ${calls} tool calls brought nothing new` }
      : undefined;
  };
}

/** Whether two calls, of whatever tools, had the same outcome. */
export function cameOutAlike(a: SeenCall, b: SeenCall): boolean {
  return a.status === b.status && a.content === b.content;
}

/** The first condition that ends the loop. */
export function firstStop(conditions: readonly StopCondition[], state: TurnState): ReturnType<StopCondition> {
  for (const condition of conditions) {
    const ending = condition(state);
    if (ending) return ending;
  }
  return undefined;
}
