import type { Asked } from '../../model/ask.ts';
import type { Run } from '../solver.ts';
import type { SearchProblem, ThinkContext, Thinker } from './problem.ts';

/** How states are proposed and valued: by code where the problem has it, else by the thinker, side by side. */
export interface Valuation<State> {
  problem: SearchProblem<State>;
  thinker: Thinker<State>;
  /** Votes beside each other instead of values of their own. */
  vote: boolean;
  context: ThinkContext;
  /** By value key. */
  known: Map<string, number>;
}

export type Failure = Extract<Asked<never>, { ok: false }>;

/** What came of several questions, in their order; a failure is set when nothing more can be asked. */
export interface Collected<T> {
  values: (T | undefined)[];
  failure: Failure | undefined;
}

/** The states one step on from each state. */
export async function proposeAll<State>(
  states: readonly State[],
  { problem, thinker, context }: Valuation<State>,
): Promise<Collected<readonly State[]>> {
  if (problem.propose) return { values: states.map((state) => problem.propose?.(state)), failure: undefined };
  return askAll(
    'propose',
    states.map((state) => (run: Run) => thinker.propose(state, { ...context, run })),
    context.run,
  );
}

/** The value of each state; one that nobody could judge has none. A value key is asked about once in a search. */
export async function valueAll<State>(
  states: readonly State[],
  valuation: Valuation<State>,
): Promise<Collected<number>> {
  const { problem, thinker, vote } = valuation;
  if (states.length === 0) return { values: [], failure: undefined };
  if (problem.evaluate) return { values: states.map((state) => problem.evaluate?.(state)), failure: undefined };
  return vote && thinker.vote ? votesFor(states, valuation) : ownValues(states, valuation);
}

async function votesFor<State>(
  states: readonly State[],
  { thinker, context }: Valuation<State>,
): Promise<Collected<number>> {
  const vote = (run: Run): Promise<Asked<readonly number[]>> =>
    thinker.vote?.(states, { ...context, run }) ?? Promise.resolve({ ok: true, value: [] });
  const { values, failure } = await askAll('vote', [vote], context.run);
  return { values: states.map((_, index) => values[0]?.[index]), failure };
}

async function ownValues<State>(
  states: readonly State[],
  { problem, thinker, context, known }: Valuation<State>,
): Promise<Collected<number>> {
  const keys = states.map((state) => (problem.valueKey ? problem.valueKey(state) : problem.key(state)));
  const asked = new Map<string, State>();
  for (const [index, state] of states.entries()) {
    const key = keys[index] ?? '';
    if (!(known.has(key) || asked.has(key))) asked.set(key, state);
  }
  const questions = [...asked.values()].map((state) => (run: Run) => thinker.value(state, { ...context, run }));
  const { values, failure } = await askAll('value', questions, context.run);
  for (const [index, key] of [...asked.keys()].entries()) {
    const value = values[index];
    if (value !== undefined) known.set(key, value);
  }
  return { values: keys.map((key) => known.get(key)), failure };
}

async function askAll<T>(
  name: string,
  questions: readonly ((run: Run) => Promise<Asked<T>>)[],
  run: Run,
): Promise<Collected<T>> {
  const settled = await run.parallel(name, questions);
  const asked = settled.map((one): Asked<T> => {
    if (!one.ok) throw one.error;
    return one.value;
  });
  const failure = failureOf(asked);
  const isDeadEnd = failure?.why === 'invalid' || failure?.why === 'refused';
  return {
    values: asked.map((one) => (one.ok ? one.value : undefined)),
    failure: isDeadEnd ? undefined : failure,
  };
}

/** The failure of several answers as a whole: a limit, or that none of them is of use. */
export function failureOf(asked: readonly Asked<unknown>[]): Failure | undefined {
  const failures = asked.filter((one) => !one.ok);
  const limit = failures.find(({ why }) => why === 'limit');
  return limit ?? (failures.length === asked.length ? failures[0] : undefined);
}
