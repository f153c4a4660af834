/**
 * Searches over partial solutions instead of writing one from left to right (Tree of Thoughts, Yao et al. 2023b).
 *
 * What code knows of the problem comes before what a model thinks of it: proposals, values, and when it is solved. No tools run.
 * `brief.revise`: searches again, with the issues in the thinker's view.
 */
import type { Attempt, Ending, Final, Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { UsageError } from '../../core/errors.ts';
import { endingOf } from '../direct.ts';
import type { NamedSolver, Run } from '../solver.ts';
import { modelThinker, type ThinkerOptions } from './model-thinker.ts';
import type { SearchProblem, ThinkContext, Thinker } from './problem.ts';
import { type SearchOutcome, type SearchSettings, searchTree } from './search.ts';
import { type ThoughtSteps, thoughtSteps } from './thought-steps.ts';

export interface TreeSettings extends ThinkerOptions {
  /** Default `breadth-first`. */
  search?: SearchSettings['method'];
  /** Steps from the root. Default 4. */
  depth?: number;
  /** States kept a level, breadth-first. Default 5. */
  beam?: number;
  /** States valued less are pruned, depth-first. Default 0.01, which prunes what every judgement calls impossible. */
  threshold?: number;
  /** States at most. Default 200. */
  maxStates?: number;
  /** How a model judges where code cannot: each state by itself, or a vote among them. Default `value`. */
  judgeBy?: 'value' | 'vote';
  /** Of the models that think. Default 0.7. */
  temperature?: number;
}

export interface TreeOptions<State> extends TreeSettings {
  problem: SearchProblem<State>;
  /** Default: the model, through `extend` of the problem. */
  thinker?: Thinker<State>;
}

type Warned = NamedSolver & { warnings: string[] };

/** A solver that searches a problem, or without one the steps of a plain task. Throws `UsageError` for numbers that cannot be meant. */
export function treeOfThoughts(options?: TreeSettings): Warned;
export function treeOfThoughts<State>(options: TreeOptions<State>): Warned;
export function treeOfThoughts<State>(options: TreeSettings | TreeOptions<State> = {}): Warned {
  return 'problem' in options ? solverOf(options) : solverOf<ThoughtSteps>({ ...options, problem: thoughtSteps });
}

function solverOf<State>(options: TreeOptions<State>): Warned {
  const { problem, temperature = 0.7 } = options;
  const settings = settingsOf(options);
  const thinker = options.thinker ?? modelThinker(problem, options);
  const { generate = 'propose', thoughts = 5, evaluations = 3 } = options;
  return {
    name: 'tree-of-thoughts',
    config: { problem: problem.name, ...settings, generate, thoughts, evaluations, temperature },
    warnings: warningsOf(problem, options),
    solve: async (brief, run) => {
      const root = problem.initial(brief.objective ?? brief.task.input);
      if (root === undefined) return attemptOf(brief, { ended: unfit(problem.name) });
      const context = { brief, run: run.with({ temperature, speculative: true }) };
      const keep = ({ state }: { state: State }): void => {
        const answer = problem.answer(state);
        const final = answer === undefined ? {} : { final: { answer, claims: [] } };
        run.keep(() => attemptOf(brief, { ...final, ended: interrupted }));
      };
      const outcome = await searchTree(root, { problem, thinker, settings, context, keep });
      return concluded(outcome, { problem, thinker, context });
    },
  };
}

function settingsOf<State>(options: TreeOptions<State>): SearchSettings {
  const { search = 'breadth-first', depth = 4, beam = 5, threshold = 0.01, maxStates = 200 } = options;
  for (const [name, value] of Object.entries({ depth, beam, maxStates })) {
    if (!(Number.isInteger(value) && value >= 1))
      throw new UsageError(`${name} is ${value}: give a whole number of at least 1`);
  }
  return { method: search, depth, beam, threshold, maxStates, vote: options.judgeBy === 'vote' };
}

function warningsOf<State>(
  { name, evaluate, isSolution }: SearchProblem<State>,
  options: TreeOptions<State>,
): string[] {
  if (evaluate || isSolution || options.thinker) return [];
  return [
    `solver 'tree-of-thoughts' has no evaluator for '${name}': the model's liking decides which way is gone. ` +
      'Give the problem `evaluate` or `isSolution` in code where it can be computed.',
  ];
}

const interrupted: Ending = { type: 'limit', limit: 'interrupted', detail: 'the search was not finished' };

function unfit(problem: string): Ending {
  return { type: 'fault', fault: 'invalid-answer', detail: `the task is no problem of the kind '${problem}'` };
}

interface Conclusion<State> {
  problem: SearchProblem<State>;
  thinker: Thinker<State>;
  context: ThinkContext;
}

async function concluded<State>(outcome: SearchOutcome<State>, work: Conclusion<State>): Promise<Attempt> {
  const { problem, context } = work;
  const { best, solution, cut } = outcome;
  const own = problem.answer(best.state);
  if (solution) return drafted(own, { ended: { type: 'final' }, reports: [solvedBy(problem)] }, context);
  if (problem.isSolution) {
    const detail = `${outcome.visited} states were visited and none solves the task`;
    return drafted(own, { ended: cut ?? { type: 'limit', limit: 'no-progress', detail } }, context);
  }
  if (own !== undefined) return drafted(own, { ended: cut ?? { type: 'final' } }, context);
  return completed(outcome, work);
}

/** The best state says nothing yet: the thinker completes it, after a limit as the last answer. */
async function completed<State>({ best, cut }: SearchOutcome<State>, work: Conclusion<State>): Promise<Attempt> {
  const { thinker, context } = work;
  const fault: Ending = { type: 'fault', fault: 'invalid-answer', detail: 'the search ended without an answer' };
  if (!thinker.complete || cut?.type === 'fault') return attemptOf(context.brief, { ended: cut ?? fault });
  const limited = cut?.type === 'limit';
  const asked = await thinker.complete(best.state, { ...context, last: limited });
  if (!asked.ok) return attemptOf(context.brief, { ended: cut ?? endingOf(asked) });
  return drafted(asked.value, { ended: cut ?? { type: 'final' } }, context);
}

function drafted(
  answer: string | Final | undefined,
  rest: { ended: Ending; reports?: Report[] },
  { brief, run }: { brief: Brief; run: Run },
): Attempt {
  if (answer === undefined) return attemptOf(brief, rest);
  const final = typeof answer === 'string' ? { answer, claims: [] } : answer;
  const degraded = rest.ended.type !== 'final';
  run.emit({ type: 'answer.drafted', answer: final.answer, claims: final.claims.length, degraded });
  return attemptOf(brief, { ...rest, final });
}

function attemptOf(brief: Brief, made: { final?: Final; ended: Ending; reports?: Report[] }): Attempt {
  const { final, ended, reports = [] } = made;
  return {
    answer: final?.answer,
    claims: final?.claims ?? [],
    observations: brief.revise?.attempt.observations ?? brief.evidence,
    plan: brief.plan,
    reports,
    drafts: [],
    ended,
    degraded: final !== undefined && ended.type !== 'final',
    revisions: 0,
  };
}

/** Code looked at the answer and knows. */
function solvedBy<State>({ name, knows }: SearchProblem<State>): Report {
  return { by: `evaluator:${name}`, knows: knows ?? 'rules', verdict: 'pass', issues: [], needsMoreTools: false };
}
