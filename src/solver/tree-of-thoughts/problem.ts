import * as z from 'zod';
import type { Final, Knowledge } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import type { Asked } from '../../model/ask.ts';
import type { Run } from '../solver.ts';

/**
 * What is searched (Tree of Thoughts, Yao et al. 2023b, section 3): states, and what code knows about them. What code gives (`propose`,
 * `evaluate`) is used; a `Thinker` does the rest. All functions are pure, and a state is replaced, never mutated.
 */
export interface SearchProblem<State> {
  readonly name: string;
  /** The root for the text of a task; undefined where the text is no such problem. */
  initial(text: string): State | undefined;
  /** States with the same key are the same state: the second one is dropped. */
  key(state: State): string;
  /** The state as a model and a reader see it. */
  render(state: State): string;
  /** What the state answers, if it answers anything yet. */
  answer(state: State): string | undefined;
  /** Code can tell that the state solves the task: the search ends there. Without it the best state at the end is the answer. */
  isSolution?(state: State): boolean;
  /** What `isSolution` goes by, for the report. Default `rules`. */
  readonly knows?: Knowledge;
  /** Nothing is to be thought after it: it stays in the beam as it is. */
  isComplete?(state: State): boolean;
  /** All states one step on. */
  propose?(state: State): readonly State[];
  /** The state one thought of a model on; undefined when that is no step that can be taken. */
  extend?(state: State, thought: Thought): State | undefined;
  /** How good the state is; more is better. Preferred to what a model thinks of it. */
  evaluate?(state: State): number;
  /** States with the same one have the same value, which is found once. Default `key`. */
  valueKey?(state: State): string;
}

/** A step in the words of a model. */
export interface Thought {
  text: string;
  /** Set by the step that completes the task. */
  answer?: string | undefined;
}

export const Thought: z.ZodType<Thought> = z.object({ text: z.string().min(1), answer: z.string().min(1).optional() });

export interface ThinkContext {
  brief: Brief;
  run: Run;
}

/** Proposes and judges states where code cannot: a model, a recording, a script. Its effects go through `context.run`. */
export interface Thinker<State> {
  propose(state: State, context: ThinkContext): Promise<Asked<readonly State[]>>;
  /** How good the state is; more is better. */
  value(state: State, context: ThinkContext): Promise<Asked<number>>;
  /** How good each of the states is beside the others, in their order. */
  vote?(states: readonly State[], context: ThinkContext): Promise<Asked<readonly number[]>>;
  /** The answer from a state that has none of its own. `last`: a limit was reached, and the kept slice of the budget pays. */
  complete?(state: State, context: ThinkContext & { last: boolean }): Promise<Asked<Final>>;
}
