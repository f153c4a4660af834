/**
 * Whole attempts, judged from outside, with what was learnt from one at the front of the next (Reflexion, Shinn et al. 2023, section 3).
 *
 * 1. The evaluator knows more than the actor; a model that judges itself is refused unless it is forced, and then the report says so.
 * 2. Every trial starts afresh, in a path of its own: it gets the brief and the last reflections, not the record of the one before.
 * 3. It ends when a trial passes, at the trial limit, when attempts repeat themselves, when a limit of the run is used up, and when the
 *    evaluator cannot be asked. The best trial by score is returned, the earlier of equals (invariant 9).
 * `brief.revise`: tries nothing anew, passes it on.
 */
import type { Evaluator } from '../../checks/check.ts';
import { normalAnswer } from '../../checks/evaluators/reference.ts';
import { prepareEvaluator } from '../../checks/evaluators.ts';
import type { Attempt, Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import type { BudgetLimit } from '../../core/budget.ts';
import { UsageError } from '../../core/errors.ts';
import { canonicalJson } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import type { Layer, Run, Solver } from '../solver.ts';
import { evaluateTrial, type Judged } from './evaluate-trial.ts';
import { noteText } from './prompts.ts';
import { type Reflection, reflect } from './reflect.ts';

export interface ReflexionOptions {
  /** Who judges: `testsPass`, `commandPasses`, `checksPass`, `judge`, … or one of your own that knows more than the actor. */
  evaluator: Evaluator;
  /** Whole attempts at most. Default 3. */
  trials?: number;
  /** How many of the latest reflections the next trial sees. Default 3. */
  reflections?: number;
  /** False: trials without reflections, the paper's baseline (section 4.2). Default true. */
  reflect?: boolean;
  /** Trials after the first begin with the observations of the one before. Default false. */
  keepEvidence?: boolean;
  /** Trials with the answer and the calls of an earlier one after which it stops. Default 2. */
  maxRepeats?: number;
  /** Accept an evaluator that knows no more than the actor; reports then say `self`. Default false. */
  allowSelfJudge?: boolean;
}

type Settings = Required<Omit<ReflexionOptions, 'evaluator'>>;

/** The layer. Throws `UsageError` for limits that cannot be meant and for an evaluator that judges itself. */
export function reflexion(options: ReflexionOptions): Layer {
  const { evaluator, ...chosen } = options;
  const settings: Settings = {
    trials: chosen.trials ?? 3,
    reflections: chosen.reflections ?? 3,
    reflect: chosen.reflect ?? true,
    keepEvidence: chosen.keepEvidence ?? false,
    maxRepeats: chosen.maxRepeats ?? 2,
    allowSelfJudge: chosen.allowSelfJudge ?? false,
  };
  for (const name of ['trials', 'reflections', 'maxRepeats'] as const) {
    if (Number.isInteger(settings[name]) && settings[name] >= 1) continue;
    throw new UsageError(
      `reflexion: ${name} has to be a whole number of at least 1, not ${settings[name]}. For trials without reflections say reflect: false.`,
    );
  }
  refuseSelfJudge(evaluator, settings);
  return {
    name: 'reflexion',
    config: { ...settings, evaluator: evaluator.name, knows: evaluator.knows },
    place: 'reflection',
    ...(evaluator.asks && { asks: evaluator.asks }),
    wrap: (inner) => (brief, run) =>
      brief.revise ? inner(brief, run) : tryAll({ inner, brief, run, evaluator, settings }),
  };
}

function refuseSelfJudge({ name, knows }: Evaluator, { allowSelfJudge }: Settings): void {
  if (knows !== 'self' || allowSelfJudge) return;
  throw new UsageError(
    `The evaluator '${name}' judges with what the actor itself knows, so its verdicts would add nothing. Give one that knows more ` +
      '(tests, a command, checks, another model for the role judge), or force it with allowSelfJudge: true.',
  );
}

interface Work {
  inner: Solver;
  brief: Brief;
  run: Run;
  evaluator: Evaluator;
  settings: Settings;
}

interface Trial extends Judged {
  number: number;
  attempt: Attempt;
  /** How many observations it was given. */
  given: number;
  /** The answer and the calls: what a repetition has in common with an earlier trial. */
  signature: string;
}

async function tryAll(work: Work): Promise<Attempt> {
  const { brief, run, settings } = work;
  const evaluator = await prepareEvaluator(work.evaluator, brief.task, run);
  refuseSelfJudge(evaluator, settings);
  const tried: Trial[] = [];
  const learnt: Reflection[] = [];
  for (;;) {
    const trialWork = { ...work, evaluator, run: scopedRun(run, tried) };
    const shown = learnt.slice(-settings.reflections);
    const trial = await tryOnce(tried, shown, trialWork);
    tried.push(trial);
    run.keep(() => bestTrial(tried));
    if (trial.evaluation?.pass) return passed(trial, shown);
    const why = whyStop(tried, settings) ?? (await learn(trial, learnt, trialWork)) ?? (await whyUnaffordable(run));
    if (why !== undefined) return given(tried, why);
  }
}

/** Adds what the trial teaches; or says why nothing more can be tried. */
async function learn(trial: Trial, learnt: Reflection[], work: Work): Promise<string | undefined> {
  const { brief, run, evaluator, settings } = work;
  if (!settings.reflect) return undefined;
  const { attempt, number, given: offered, report } = trial;
  const feedback = report.issues.map(({ detail }) => detail).join('\n');
  const reflection = await reflect(
    { attempt, feedback, given: offered, earlier: learnt.slice(-settings.reflections) },
    { trial: number, task: brief.task, evaluator, run },
  );
  if (typeof reflection === 'string') return usedUp(reflection);
  run.emit({ type: 'reflection.made', trial: number, text: noteText(reflection) });
  learnt.push(reflection);
  return undefined;
}

/**
 * Why there is nothing left for another trial: what is kept for a last answer is not for one that starts from nothing. Recorded as
 * model calls record a refusal, so that a run extended by more budget goes on here.
 */
async function whyUnaffordable(run: Run): Promise<string | undefined> {
  const asked = await run.step<{ type: 'refused'; limit: BudgetLimit } | { type: 'granted' }>('afford', () => {
    const reserved = run.budget.reserve({ modelCalls: 1 });
    if (typeof reserved === 'string') return { type: 'refused', limit: reserved };
    run.budget.settle(reserved, noUsage);
    return { type: 'granted' };
  });
  return asked.type === 'refused' ? usedUp(asked.limit) : undefined;
}

function usedUp(limit: string): string {
  return `the limit ${limit} is used up`;
}

/** What an interruption shows is the best trial that was judged, not the unfinished one after it. */
function scopedRun(run: Run, tried: readonly Trial[]): Run {
  const scoped = run.scope(`trial-${tried.length + 1}`);
  return tried.some(({ attempt }) => attempt.answer !== undefined) ? scoped.with({ kept: {} }) : scoped;
}

async function tryOnce(tried: readonly Trial[], shown: readonly Reflection[], work: Work): Promise<Trial> {
  const { inner, brief, run, evaluator } = work;
  const number = tried.length + 1;
  const texts = shown.map(noteText);
  const evidence = evidenceFor(tried, work);
  run.emit({ type: 'trial.start', trial: number, reflections: texts });
  const notes = [...texts.map((text) => ({ from: 'reflection' as const, text })), ...brief.notes];
  const attempt = await inner({ ...brief, notes, evidence }, run);
  if (number === 1) run.keep(() => attempt);
  const calls = attempt.observations.slice(evidence.length).map(({ tool, args }) => [tool, args]);
  const signature = canonicalJson([normalAnswer(attempt.answer ?? ''), calls]);
  const judged = await evaluateTrial(attempt, { trial: number, task: brief.task, evaluator, run });
  return { number, attempt, given: evidence.length, signature, ...judged };
}

/** The observations a trial begins with, when these were tried before it. */
function evidenceFor(tried: readonly Trial[], { brief, settings }: Work): Brief['evidence'] {
  return (settings.keepEvidence && tried.at(-1)?.attempt.observations) || brief.evidence;
}

const budgetLimits: ReadonlySet<string> = new Set(['modelCalls', 'toolCalls', 'tokens', 'usd', 'ms', 'interrupted']);

function whyStop(tried: readonly Trial[], settings: Settings): string | undefined {
  const last = tried.at(-1);
  if (!last?.evaluation) return 'the evaluator could not be asked';
  const { ended } = last.attempt;
  if (ended.type === 'limit' && budgetLimits.has(ended.limit)) return usedUp(ended.limit);
  if (ended.type === 'fault' && ended.fault === 'model-error') return `the model failed: ${ended.detail}`;
  const repeats = tried.length - new Set(tried.map(({ signature }) => signature)).size;
  if (repeats >= settings.maxRepeats) return `${repeats} trials repeated an earlier one`;
  return tried.length >= settings.trials ? `the limit of ${settings.trials} trials is reached` : undefined;
}

/** The best-scored trial with its verdict. */
function bestTrial(tried: readonly Trial[]): Attempt {
  const [first, ...rest] = tried;
  if (!first) throw new TypeError('reflexion: no trial was made');
  const { attempt, report } = rest.reduce((best, next) => (rank(next) > rank(best) ? next : best), first);
  return withReport(attempt, report);
}

/** An answer counts more than none, whatever the score says: an evaluator may judge a folder and not the answer. */
function rank({ attempt, evaluation }: Trial): number {
  return (evaluation?.score ?? 0) + (attempt.answer === undefined ? 0 : 2);
}

function withReport(attempt: Attempt, report: Report): Attempt {
  return { ...attempt, reports: [...attempt.reports, report] };
}

function passed({ attempt, report }: Trial, shown: readonly Reflection[]): Attempt {
  const drafts = shown.flatMap(({ lesson }) => (lesson ? [lesson] : []));
  return { ...withReport(attempt, report), drafts: [...attempt.drafts, ...drafts] };
}

function given(tried: readonly Trial[], why: string): Attempt {
  const best = bestTrial(tried);
  const report = best.reports.at(-1);
  if (report?.verdict !== 'fail') return best;
  const detail = report.issues[0]?.detail.split('\n', 1)[0];
  return { ...best, stopped: { layer: 'reflexion', why: `${why}, and ${report.by} accepted no trial: ${detail}` } };
}
