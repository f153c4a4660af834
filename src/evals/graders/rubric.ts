import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as z from 'zod';
import type { EvaluatingRun } from '../../checks/evaluators.ts';
import { significantLength, standsIn } from '../../checks/quote-text.ts';
import { UsageError } from '../../core/errors.ts';
import { ask } from '../../model/ask.ts';
import { type ModelChoice, modelRoles } from '../../model/roles.ts';
import type { Grade, Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { functionMark, misfit } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';
import { judgingRun } from './judging-run.ts';
import type { PairJudgement } from './length-control.ts';
import { type Judged, judgeKnows, modelName } from './model-identity.ts';
import { judgePair } from './pairwise.ts';
import { type RubricPrompt, rubricPrompt, rubricRules } from './prompts.ts';

/** One condition of a rubric, worded so that words of a good answer show that it is met. */
export interface RubricCriterion {
  name: string;
  text: string;
  /** Default 1. */
  weight?: number;
}

export interface RubricOptions extends Judged {
  criteria: readonly RubricCriterion[];
  /** The judge. */
  model: ModelChoice;
  /** Shows the judge the task's `expected` as the right answer. Default false. */
  reference?: boolean;
  /** A baseline's answer: the judge then says which of the two is better. */
  against?: string | ((task: EvalTask) => string);
  /** Least score that passes. Default 1: every criterion met, or the baseline beaten; 0.5 lets ties pass. */
  threshold?: number;
  /** For one call of the judge. Default 120,000. */
  timeoutMs?: number;
}

/** A grade with what the judge said. */
export interface RubricGrade extends Grade {
  verdicts?: CriterionVerdict[];
  pair?: PairJudgement;
}

export interface CriterionVerdict {
  criterion: string;
  /** Words of the answer. */
  quote: string;
  why: string;
  /** As the judge says, unless its quote stands nowhere in the answer. */
  met: boolean;
}

/**
 * A model's opinion, and marked as one. Alone, each criterion is met or not: a criterion counts as met only with a quote that stands in the
 * answer, and the score is the weighted share of those met. Against a baseline it is judged which is better, in both orders and with
 * length control; the score is 1, 0.5 for a tie, or 0. A judge that gives no verdict rejects: that is not the answer's fault. Throws
 * `UsageError` for a rubric that cannot be cited, and where it is not known whether the judge is another model than the one that answers.
 */
export function rubric(options: RubricOptions): Grader {
  const { criteria, model, reference = false, against, threshold = 1, timeoutMs = 120_000 } = options;
  checkCriteria(criteria);
  if (!(threshold > 0 && threshold <= 1))
    throw new UsageError(`rubric: the threshold ${threshold} is not over 0 and at most 1`);
  const roles = modelRoles({ model });
  return {
    name: against === undefined ? 'rubric' : 'rubric:pairwise',
    knows: judgeKnows(model, options),
    reads: 'answer',
    config: {
      criteria: criteria.map(({ name, text, weight = 1 }) => ({ name, text, weight })),
      judge: modelName(model),
      reference,
      against: typeof against === 'function' ? functionMark(against) : (against ?? null),
      threshold,
    },
    async grade(graded, context): Promise<RubricGrade> {
      const { task, answer } = graded;
      const right = reference ? referenceText(task) : undefined;
      const baseline = typeof against === 'function' ? against(task) : against;
      if (baseline !== undefined && baseline.trim() === '')
        throw new UsageError(
          `rubric: the baseline's answer to the task '${task.id}' is empty. Give one to compare with.`,
        );
      if (isBlank(answer)) return unanswered('an answer to judge');
      await roles.load();
      const judge: LanguageModelV4 = roles.of('judge');
      const fenced = [answer, baseline ?? '', right ?? ''];
      const run = judgingRun(context, { model: judge, timeoutMs, fenced });
      const facts = { task, criteria, reference: right, boundary: run.boundary };
      if (baseline === undefined) return judgedAlone(run, facts, { answer, threshold });
      return judgedAgainst(run, facts, { answer, baseline, threshold });
    },
  };
}

/** What the judge said of an answer and a baseline; undefined for a grade that is of no such pair. */
export function pairOf(grade: Grade): PairJudgement | undefined {
  // A grade keeps what its grader put there, also when it was written and read as JSON.
  return 'pair' in grade ? (grade as RubricGrade).pair : undefined;
}

function checkCriteria(criteria: readonly RubricCriterion[]): void {
  const isWhole = criteria.every(
    ({ name, text, weight = 1 }) => name.trim() !== '' && text.trim() !== '' && weight > 0 && Number.isFinite(weight),
  );
  if (criteria.length > 0 && isWhole && new Set(criteria.map(({ name }) => name)).size === criteria.length) return;
  throw new UsageError('rubric: give at least one criterion, each with a name of its own, a text and a weight over 0');
}

function referenceText(task: EvalTask): string {
  if (task.expected === undefined || task.expected === null) throw misfit(task, 'rubric', 'the reference answer');
  return typeof task.expected === 'string' ? task.expected : JSON.stringify(task.expected);
}

async function judgedAlone(
  run: EvaluatingRun,
  facts: RubricPrompt,
  { answer, threshold }: { answer: string; threshold: number },
): Promise<RubricGrade> {
  const said = run.redact(answer);
  const asked = await ask(run, {
    step: 'grade.rubric',
    role: 'judge',
    system: rubricRules,
    prompt: run.redact(rubricPrompt(facts, said)),
    schema: verdictsOn(facts.criteria),
  });
  if (!asked.ok) throw new Error(`the judge gave no verdict: ${asked.detail}`);
  const verdicts = asked.value.verdicts.map((verdict) => quoted(verdict, said));
  const weights = new Map(facts.criteria.map(({ name, weight = 1 }) => [name, weight]));
  const weightOf = (some: readonly CriterionVerdict[]): number =>
    some.reduce((sum, { criterion }) => sum + (weights.get(criterion) ?? 0), 0);
  const met = verdicts.filter((verdict) => verdict.met);
  const score = met.length === verdicts.length ? 1 : weightOf(met) / weightOf(verdicts);
  const open = verdicts.filter((verdict) => !verdict.met).map(({ criterion, why }) => `${criterion}: ${why}`);
  const why = open.length === 0 ? `all ${verdicts.length} criteria are met` : `not met: ${open.join('; ')}`;
  return { ...gradeOf(score >= threshold, why, score), verdicts };
}

function quoted(verdict: CriterionVerdict, answer: string): CriterionVerdict {
  if (!verdict.met || (significantLength(verdict.quote) > 0 && standsIn(verdict.quote, answer))) return verdict;
  return {
    ...verdict,
    met: false,
    why: `the judge quotes ${shown(verdict.quote)}, which does not stand in the answer`,
  };
}

function verdictsOn(criteria: readonly RubricCriterion[]): z.ZodType<{ verdicts: CriterionVerdict[] }> {
  const verdict = z.object({
    criterion: z.enum(criteria.map(({ name }) => name)),
    quote: z.string(),
    why: z.string(),
    met: z.boolean(),
  });
  return z
    .object({ verdicts: z.array(verdict) })
    .refine(
      ({ verdicts }) =>
        verdicts.length === criteria.length &&
        new Set(verdicts.map(({ criterion }) => criterion)).size === criteria.length,
      { message: 'each criterion of the rubric has exactly one verdict', path: ['verdicts'] },
    );
}

const points: Readonly<Record<PairJudgement['winner'], number>> = { answer: 1, tie: 0.5, baseline: 0 };

async function judgedAgainst(
  run: EvaluatingRun,
  facts: RubricPrompt,
  { answer, baseline, threshold }: { answer: string; baseline: string; threshold: number },
): Promise<RubricGrade> {
  const { why, ...pair } = await judgePair(run, facts, { answer, baseline });
  const score = points[pair.winner];
  const outcome = { answer: 'better than the baseline', baseline: 'worse than the baseline', tie: 'a tie' }[
    pair.winner
  ];
  const again = pair.reasked ? ', asked again about length' : '';
  const lengths = `${pair.answerLength} against ${pair.baselineLength} characters${again}`;
  return { ...gradeOf(score >= threshold, `${outcome} (${lengths}): ${why}`, score), pair };
}
