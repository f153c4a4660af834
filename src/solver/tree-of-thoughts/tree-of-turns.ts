/**
 * Searches over turns of the loop: a state is a transcript, a step is one `takeTurn`, and several are tried from each state (Yao et al.
 * 2023b, with the actions of ReAct as thoughts).
 *
 * 1. Turns are speculative: only reads run in them. What has an effect is proposed in the answer.
 * 2. Two states that made the same calls are the same state; a turn that called nothing new is a dead end.
 * `brief.revise`: searches on from the transcript of that attempt.
 */
import type { Attempt, Ending, Final } from '../../core/attempt.ts';
import { append, userMessage } from '../../core/transcript.ts';
import type { TurnOutcome, TurnState } from '../../core/turn.ts';
import type { Asked } from '../../model/ask.ts';
import { fenced, lastChance } from '../react/prompts.ts';
import { attemptOf, start } from '../react/react.ts';
import { takeTurn } from '../react/take-turn.ts';
import type { NamedSolver, Run } from '../solver.ts';
import { modelThinker } from './model-thinker.ts';
import type { SearchProblem, ThinkContext, Thinker } from './problem.ts';
import { type SearchOutcome, type SearchSettings, searchTree } from './search.ts';

/** Where a way of turns stands; `final` ended it. */
export interface TurnPath {
  turns: TurnState;
  final?: Final | undefined;
}

export interface TreeOfTurnsOptions {
  /** Default `breadth-first`. */
  search?: SearchSettings['method'];
  /** Turns of one way. Default 8. */
  depth?: number;
  /** Ways kept a level, breadth-first. Default 2. */
  beam?: number;
  /** Turns tried from each state. Default 3. */
  turns?: number;
  /** Turns at most. Default 60. */
  maxStates?: number;
  /** How good a state is, in code; more is better. Default: the `judge` model's opinion. */
  evaluate?(path: TurnPath): number;
  /** Ways valued less are pruned, depth-first. Default 0.01. */
  threshold?: number;
  /** Default 0.7. */
  temperature?: number;
}

type Warned = NamedSolver & { warnings: string[] };

export function treeOfTurns(options: TreeOfTurnsOptions = {}): Warned {
  const { turns = 3, temperature = 0.7, evaluate } = options;
  const settings: SearchSettings = {
    method: options.search ?? 'breadth-first',
    depth: options.depth ?? 8,
    beam: options.beam ?? 2,
    threshold: options.threshold ?? 0.01,
    maxStates: options.maxStates ?? 60,
    vote: false,
  };
  return {
    name: 'tree-of-turns',
    config: { ...settings, turns, temperature },
    warnings: evaluate
      ? []
      : [
          "solver 'tree-of-turns' has no `evaluate`: the model's liking decides which way is gone. Give it one in code.",
        ],
    solve: async (brief, run) => {
      const problem = evaluate ? { ...turnProblem, evaluate } : turnProblem;
      const context = { brief, run: run.with({ temperature, speculative: true }) };
      const thinker = turnThinker(turns, run.boundary);
      const keep = ({ state }: { state: TurnPath }): void =>
        run.keep(() => attemptOf(state.turns, state.final, interrupted));
      const outcome = await searchTree({ turns: start(brief, run) }, { problem, thinker, settings, context, keep });
      return concluded(outcome, context.run);
    },
  };
}

const interrupted: Ending = { type: 'limit', limit: 'interrupted', detail: 'the search was not finished' };

const turnProblem: SearchProblem<TurnPath> = {
  name: 'turns',
  initial: () => undefined,
  key: ({ turns, final }) => [...turns.seen.map(({ key }) => key), final ? `final ${final.answer}` : ''].join('\n'),
  render: ({ turns, final }) => final?.answer ?? turns.seen.at(-1)?.key ?? '(nothing yet)',
  answer: ({ final }) => final?.answer,
  isComplete: ({ final }) => final !== undefined,
};

function turnThinker(turns: number, boundary: string): Thinker<TurnPath> {
  const judge = modelThinker({ ...turnProblem, render: (path) => workText(path, boundary) }, { evaluations: 1 });
  return { propose: (path, context) => proposeTurns(path, turns, context), value: judge.value };
}

/** What a way has brought so far, for who judges it. */
function workText({ turns, final }: TurnPath, boundary: string): string {
  const calls = turns.observations.map((seen) => `${JSON.stringify(seen.args)}\n${fenced(seen, boundary)}`);
  return [...calls, final ? `Answer: ${final.answer}` : '(no answer yet)'].join('\n');
}

async function proposeTurns(path: TurnPath, count: number, { run }: ThinkContext): Promise<Asked<TurnPath[]>> {
  const settled = await run.parallel(
    'turns',
    Array.from({ length: count }, () => (branch: Run) => takeTurn(path.turns, branch)),
  );
  const outcomes = settled.map((one) => {
    if (!one.ok) throw one.error;
    return one.value;
  });
  const paths = outcomes.flatMap(pathOf);
  const failure = paths.length === 0 ? outcomes.map(failureIn).find((found) => found !== undefined) : undefined;
  return failure ?? { ok: true, value: paths };
}

/** What keeps any turn from being taken. Other failures are a turn's own. */
function failureIn(outcome: TurnOutcome): Extract<Asked<never>, { ok: false }> | undefined {
  if (outcome.type !== 'failed') return undefined;
  const { ended } = outcome;
  if (ended.type === 'fault') {
    return ended.fault === 'model-error' ? { ok: false, why: 'model-error', detail: ended.detail } : undefined;
  }
  switch (ended.limit) {
    case 'steps':
    case 'no-progress':
    case 'context':
    case 'interrupted':
      return undefined;
    default:
      return { ok: false, why: 'limit', limit: ended.limit, detail: ended.detail };
  }
}

/** A failed turn leads nowhere, and no call of a speculative one waits for a human. */
function pathOf(outcome: TurnOutcome): TurnPath[] {
  if (outcome.type === 'continue') return [{ turns: outcome.state }];
  return outcome.type === 'final' ? [{ turns: outcome.state, final: outcome.final }] : [];
}

async function concluded({ best, cut, visited }: SearchOutcome<TurnPath>, run: Run): Promise<Attempt> {
  const { turns, final } = best.state;
  if (final) return drafted(attemptOf(turns, final, cut ?? { type: 'final' }), run);
  const ended: Ending = cut ?? {
    type: 'limit',
    limit: 'steps',
    detail: `${visited} turns were tried without an answer`,
  };
  if (ended.type === 'fault') return attemptOf(turns, undefined, ended);
  const asked = { ...turns, transcript: append(turns.transcript, userMessage(lastChance)) };
  const outcome = await takeTurn(asked, run, { last: true });
  return drafted(attemptOf(outcome.state, outcome.type === 'final' ? outcome.final : undefined, ended), run);
}

function drafted(attempt: Attempt, run: Run): Attempt {
  const { answer, claims, degraded } = attempt;
  if (answer !== undefined) run.emit({ type: 'answer.drafted', answer, claims: claims.length, degraded });
  return attempt;
}
