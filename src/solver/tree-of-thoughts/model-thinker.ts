import * as z from 'zod';
import { Final } from '../../core/attempt.ts';
import { type Asked, ask } from '../../model/ask.ts';
import type { Run } from '../solver.ts';
import { type SearchProblem, type ThinkContext, type Thinker, Thought } from './problem.ts';
import { completeRules, proposeRules, statePrompt, valueRules, votePrompt, voteRules } from './prompts.ts';
import { failureOf } from './state-values.ts';

export interface ThinkerOptions {
  /** `propose`: all in one call, where steps are short. `sample`: one call each, where they are rich. Default `propose`. */
  generate?: 'propose' | 'sample';
  /** Thoughts asked for from one state. Default 5. */
  thoughts?: number;
  /** How often a state is valued or a vote is held; the values add up. Default 3. */
  evaluations?: number;
}

type Likelihood = 'sure' | 'likely' | 'impossible';

/** What a judgement is worth (Yao et al. 2023b, appendix and code of Game of 24). */
const worth: Record<Likelihood, number> = { sure: 20, likely: 1, impossible: 0.001 };

const Judgement: z.ZodType<{ judgement: Likelihood }> = z.object({
  judgement: z.enum(['sure', 'likely', 'impossible']),
});

/** Has the model propose (as `actor`) and judge (as `judge`, which may be another model) the states of a problem with `extend`. */
export function modelThinker<State>(
  problem: SearchProblem<State>,
  options: ThinkerOptions = {},
): Required<Thinker<State>> {
  const { generate = 'propose', thoughts = 5, evaluations = 3 } = options;
  const Proposed: z.ZodType<{ steps: Thought[] }> = z.object({ steps: z.array(Thought).min(1) });
  const proposeOnce = (count: number, prompt: string) => (run: Run) =>
    ask(run, { step: 'propose', role: 'actor', system: proposeRules(count), prompt, schema: Proposed });
  return {
    async propose(state, context) {
      const prompt = statePrompt(problem.render(state), context);
      const asked =
        generate === 'propose'
          ? [await proposeOnce(thoughts, prompt)(context.run)]
          : await repeated(thoughts, context, proposeOnce(1, prompt));
      const limit = generate === 'propose' ? thoughts : 1;
      return gathered(asked, (value) =>
        value.flatMap(({ steps }) =>
          steps.slice(0, limit).flatMap((thought) => problem.extend?.(state, thought) ?? []),
        ),
      );
    },
    async value(state, context) {
      const prompt = statePrompt(problem.render(state), context);
      const question = { step: 'value', role: 'judge', system: valueRules, prompt, schema: Judgement } as const;
      const asked = await repeated(evaluations, context, (run) => ask(run, question));
      // A state that was judged fewer times than the others is not worth less for it.
      return gathered(
        asked,
        (values) => (evaluations / values.length) * values.reduce((sum, { judgement }) => sum + worth[judgement], 0),
      );
    },
    async vote(states, context) {
      const Vote: z.ZodType<{ best: number }> = z.object({ best: z.number().int().min(1).max(states.length) });
      const prompt = votePrompt(
        states.map((state) => problem.render(state)),
        context,
      );
      const question = { step: 'vote', role: 'judge', system: voteRules, prompt, schema: Vote } as const;
      const asked = await repeated(evaluations, context, (run) => ask(run, question));
      return gathered(asked, (votes) =>
        states.map((_, index) => votes.filter(({ best }) => best === index + 1).length),
      );
    },
    complete(state, context) {
      const prompt = statePrompt(problem.render(state), context);
      const question = { step: 'complete', role: 'actor', system: completeRules, prompt, schema: Final } as const;
      return ask(context.run, { ...question, lastAnswer: context.last });
    },
  };
}

async function repeated<T>(
  count: number,
  { run }: ThinkContext,
  question: (run: Run) => Promise<Asked<T>>,
): Promise<Asked<T>[]> {
  const settled = await run.parallel(
    'sample',
    Array.from({ length: count }, () => question),
  );
  return settled.map((one) => {
    if (!one.ok) throw one.error;
    return one.value;
  });
}

/** What the answers come to that are of use; a failure when none is. */
function gathered<T, U>(asked: readonly Asked<T>[], make: (values: T[]) => U): Asked<U> {
  const values = asked.flatMap((one) => (one.ok ? [one.value] : []));
  const failure = values.length === 0 ? failureOf(asked) : undefined;
  return failure ?? { ok: true, value: make(values) };
}
