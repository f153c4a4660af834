import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as z from 'zod';
import type { Attempt } from '../../core/attempt.ts';
import { UsageError } from '../../core/errors.ts';
import type { Task } from '../../core/task.ts';
import { ask } from '../../model/ask.ts';
import { isKnownByName } from '../../model/capability.ts';
import { mayShareModel } from '../../model/fallback.ts';
import type { ModelChoice } from '../../model/roles.ts';
import { asLanguageModel } from '../../model/spec-versions.ts';
import { adaptToProvider } from '../../model/wire.ts';
import type { Evaluation, Evaluator } from '../check.ts';
import type { EvaluatingRun, RunEvaluator } from '../evaluators.ts';
import { standsIn } from '../quote-text.ts';
import { judgePrompt, judgeRules } from './prompts.ts';
import { noAnswer } from './tests-pass.ts';

/** One condition of a rubric; the judge cites it by its id. */
export interface Criterion {
  id: string;
  text: string;
}

export interface JudgeOptions {
  /** What a good answer does, one condition each; as a text alone a condition is named `c1`, `c2`, … */
  rubric: readonly (string | Criterion)[];
  /** Default: the agent's model for the role `judge`; an id belongs there, in `model: { actor, judge }`. */
  model?: Exclude<ModelChoice, string>;
}

/**
 * Another model judges the answer by a rubric. A verdict counts only if it names each criterion once, quotes words that stand in the
 * answer or in an observation, and its sum agrees with its parts; else it goes back to the judge. The score is the share of criteria
 * that are met. In a run whose actor is the same model it knows `self`, and whoever uses it refuses that. Throws `UsageError` for a
 * rubric that cannot be cited.
 */
export function judge(options: JudgeOptions): RunEvaluator {
  const criteria = criteriaOf(options.rubric);
  const own = options.model && adaptToProvider(asLanguageModel(options.model));
  const evaluatorFor = (run: EvaluatingRun): Evaluator => {
    const model = own ?? run.model('judge');
    return {
      name: `judge:${model.modelId}`,
      knows: mayShareModel(model, run.model('actor'), isSameModel) ? 'self' : 'another-model',
      evaluate: (attempt, task) => judged(attempt, task, { criteria, run: { ...run, model: () => model } }),
    };
  };
  return {
    name: 'judge',
    knows: 'another-model',
    ...(own && { asks: [own] }),
    prepare: (_task, run) => evaluatorFor(run),
    evaluate: () => {
      throw new UsageError('judge: it asks a model, which only a run can do; use it in reflexion');
    },
  };
}

function criteriaOf(rubric: JudgeOptions['rubric']): Criterion[] {
  const criteria = rubric.map((item, index) => (typeof item === 'string' ? { id: `c${index + 1}`, text: item } : item));
  const ids = new Set(criteria.map(({ id }) => id));
  if (
    criteria.length === 0 ||
    ids.size < criteria.length ||
    criteria.some(({ id, text }) => !(id.trim() && text.trim()))
  )
    throw new UsageError('judge: the rubric needs at least one criterion, each with a text and an id of its own');
  return criteria;
}

/** Models of this process that share a name need not share anything else. */
function isSameModel(judge: LanguageModelV4, actor: LanguageModelV4): boolean {
  if (judge === actor) return true;
  const named = [judge, actor].every(isKnownByName);
  return named && judge.modelId.toLowerCase() === actor.modelId.toLowerCase();
}

interface CriterionVerdict {
  criterion: string;
  quote: string;
  why: string;
  met: boolean;
}

interface RubricVerdict {
  verdicts: CriterionVerdict[];
  pass: boolean;
}

async function judged(
  attempt: Attempt,
  task: Task,
  { criteria, run }: { criteria: readonly Criterion[]; run: EvaluatingRun },
): Promise<Evaluation> {
  if (attempt.answer === undefined) return noAnswer;
  const asked = await ask(run, {
    step: 'evaluate.judge',
    role: 'judge',
    system: judgeRules,
    prompt: judgePrompt(attempt, task, { criteria, boundary: run.boundary }),
    schema: verdictOn(attempt, criteria),
  });
  if (!asked.ok) throw new Error(`the judge gave no verdict that counts: ${asked.detail}`);
  const { verdicts, pass } = asked.value;
  const open = verdicts.filter(({ met }) => !met);
  const lines = open.map(({ criterion, why, quote }) => `- ${criterion} is not met: ${why} ("${quote}")`);
  return {
    pass,
    score: (verdicts.length - open.length) / verdicts.length,
    feedback: pass ? `all ${verdicts.length} criteria are met` : lines.join('\n'),
  };
}

function verdictOn(attempt: Attempt, criteria: readonly Criterion[]): z.ZodType<RubricVerdict> {
  const sources = [
    ...[attempt.answer ?? '', ...attempt.claims.map(({ text }) => text)],
    ...attempt.observations.map(({ content }) => content),
  ];
  const verdict = z.object({
    criterion: z.enum(criteria.map(({ id }) => id)),
    quote: z
      .string()
      .max(600)
      .refine(
        (quote) => sources.some((source) => standsIn(quote, source)),
        'stands neither in the answer nor in an observation',
      ),
    why: z.string().min(1).max(600),
    met: z.boolean(),
  });
  return z
    .object({ verdicts: z.array(verdict), pass: z.boolean() })
    .refine(
      ({ verdicts }) =>
        verdicts.length === criteria.length &&
        new Set(verdicts.map(({ criterion }) => criterion)).size === criteria.length,
      { message: 'each criterion of the rubric has exactly one verdict', path: ['verdicts'] },
    )
    .refine(({ verdicts, pass }) => pass === verdicts.every(({ met }) => met), {
      message: 'pass is true exactly when every criterion is met',
      path: ['pass'],
    });
}
