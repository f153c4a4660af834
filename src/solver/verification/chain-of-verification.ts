/**
 * Chain-of-Verification (Dhuliawala et al. 2023, section 3): questions planned from the draft, answered from the sources, compared with it.
 * Its last step, the final response, is the Refiner's. A verifier that could not be asked is `unchecked`, not `fail`.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { evidence } from '../../checks/evidence.ts';
import { quotes } from '../../checks/quotes.ts';
import type { Attempt, Observation, Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { type Asked, ask } from '../../model/ask.ts';
import { isKnownByName, sourceOf } from '../../model/capability.ts';
import { mayShareModel } from '../../model/fallback.ts';
import { dateOf } from '../react/take-turn.ts';
import { rulesFor } from '../rules.ts';
import type { Run } from '../solver.ts';
import { answerEach, answerJointly, answerTogether, type Inquiry, planQuestions } from './answers.ts';
import { lookUp } from './look-up.ts';
import { draftText, secondVerdictPrompt, taskLines, verdictPrompt, verdictRules } from './prompts.ts';
import {
  type AnsweredQuestion,
  type Court,
  courtOf,
  faultsOf,
  issueOf,
  isUnusable,
  type Objection,
  Verdict,
  type Weighed,
  weigh,
} from './verdict.ts';

/**
 * How the questions are answered (section 3.3):
 *
 * - `joint`: planned and answered in one prompt, which holds the draft. 2 model calls.
 * - `two-step`: planned with the draft, then all answered in one prompt without it. 3 calls.
 * - `factored`: each answered in a prompt of its own, side by side, without the draft and the other questions. 2 calls, and 1 a question (6 at most).
 * - `factor+revise` (default): factored, and each answer that rests on a source is held against the draft in a prompt of its own before the
 *   verdict. 2 calls, and 2 a question (4 at most).
 */
export type VerifierVariant = 'joint' | 'two-step' | 'factored' | 'factor+revise';

export interface VerifierOptions {
  /** Default `factor+revise`. */
  variant?: VerifierVariant;
  /** Look up with the tools of effect `read` what the observations do not say (CRITIC, Gou et al. 2024). Not for `joint`. Default false. */
  tools?: boolean;
}

/** What the verifier reports. */
export interface VerifierReport extends Report {
  /** What it looked up itself, numbered on from the attempt's observations. Issues may name them. */
  observations?: Observation[];
}

/** Has the verifier check an attempt that has an answer. */
export async function chainOfVerification(
  attempt: Attempt,
  brief: Brief,
  context: { run: Run; options: Required<VerifierOptions> },
): Promise<VerifierReport> {
  const { run, options } = context;
  const verifier = run.model('verifier');
  const as = {
    by: `verifier:${verifier.modelId}`,
    knows: mayShareModel(verifier, run.model('actor'), isSame) ? ('self' as const) : ('another-model' as const),
  };
  const inquiry: Inquiry = {
    attempt,
    brief,
    run,
    date: dateOf(run.durable.now()),
    observations: attempt.observations,
  };
  const { answers, found } = await examine(inquiry, options);
  const report = answers.ok
    ? await judge(answers.value, { ...inquiry, observations: [...attempt.observations, ...found] })
    : couldNotAsk(answers);
  return { ...as, ...report, ...(found.length > 0 && { observations: found }) };
}

/** One model configured twice knows nothing more. Functions and scripts may share a name and yet be others. */
function isSame(a: LanguageModelV4, b: LanguageModelV4): boolean {
  const named = isKnownByName(a) && sourceOf(a) === sourceOf(b);
  return a === b || (named && a.provider === b.provider && a.modelId === b.modelId);
}

interface Examined {
  answers: Asked<AnsweredQuestion[]>;
  found: Observation[];
}

async function examine(inquiry: Inquiry, { variant, tools }: Required<VerifierOptions>): Promise<Examined> {
  // No event of its questions: it would say that their answers did not see the draft.
  if (variant === 'joint') return { answers: await answerJointly(inquiry), found: [] };
  const planned = await planQuestions(inquiry, variant === 'factor+revise');
  if (!planned.ok) return { answers: planned, found: [] };
  const questions = planned.value.map(({ question }) => question);
  inquiry.run.emit({ type: 'verify.questions', questions });
  const found = tools ? await lookUp(questions, inquiry) : [];
  const informed = { ...inquiry, observations: [...inquiry.observations, ...found] };
  const answers =
    variant === 'two-step'
      ? await answerTogether(planned.value, informed)
      : await answerEach(planned.value, informed, variant === 'factor+revise');
  return { answers, found };
}

type Judged = Pick<Report, 'verdict' | 'issues' | 'needsMoreTools'>;

/** A verdict of which nothing can be made is asked for once more. */
async function judge(answers: readonly AnsweredQuestion[], inquiry: Inquiry): Promise<Judged> {
  const { attempt, brief, date, run, observations } = inquiry;
  const draft = draftText(attempt);
  const court = courtOf(attempt.claims, brief, { draft, observations, answers });
  const prompt = verdictPrompt(draft, { task: taskLines(brief, date), criteria: court.criteria, answers });
  const first = await askVerdict(run, prompt);
  if (!first.ok) return couldNotAsk(first);
  const weighed = weigh(first.value, court);
  if (!isUnusable(weighed)) return reportOf(first.value, weighed, { court, inquiry });
  const second = await askVerdict(run, secondVerdictPrompt(prompt, first.value, faultsOf(weighed)));
  if (!second.ok) return couldNotAsk(second);
  return reportOf(second.value, weigh(second.value, court), { court, inquiry });
}

function askVerdict(run: Run, prompt: string): Promise<Asked<Verdict>> {
  return ask(run, {
    step: 'verify.verdict',
    role: 'verifier',
    system: rulesFor(run, 'verifier', verdictRules),
    prompt,
    schema: Verdict,
  });
}

/**
 * What a verdict comes to. One whose every issue was refused fails nothing; it confirms something only where code finds the answer in the
 * run's own evidence. Refused issues are told as events.
 */
async function reportOf(
  said: Verdict,
  weighed: Weighed,
  { court, inquiry }: { court: Court; inquiry: Inquiry },
): Promise<Judged> {
  const { contradictions, counted, objections } = weighed;
  const faults = faultsOf(weighed).join('; ');
  const contradictory = objections.some(({ reason }) => reason === 'contradiction');
  if (contradictions.length > 0 || (counted.length === 0 && contradictory))
    return unchecked(`the verifier contradicted itself twice: ${faults}`);
  if (counted.length === 0 && objections.length > 0 && !(await isSettled(objections, inquiry)))
    return unchecked(
      `the verifier objects, in a form that does not count, and nothing in this run settles it: ${faults}`,
    );
  if (objections.length > 0)
    inquiry.run.emit({ type: 'run.warning', why: `the verifier is not heard where ${faults}` });
  if (counted.length === 0) return { verdict: 'pass', issues: [], needsMoreTools: false };
  const issues = counted.map((finding) => issueOf(finding, court.answers));
  // Without contradictions, a verdict with issues is no pass.
  return { verdict: said.verdict, issues, needsMoreTools: said.needsMoreTools };
}

/** No refused issue quotes a source against the draft, and code finds every claim in the run's own observations. */
async function isSettled(objections: readonly Objection[], { attempt, brief, run }: Inquiry): Promise<boolean> {
  if (objections.some(({ sourced }) => sourced) || attempt.claims.length === 0) return false;
  for (const check of [evidence, quotes]) {
    if ((await check.run(attempt, brief.task, run)).length > 0) return false;
  }
  return true;
}

function couldNotAsk({ detail }: Extract<Asked<unknown>, { ok: false }>): Judged {
  return unchecked(`the verifier could not be asked: ${detail}`);
}

function unchecked(detail: string): Judged {
  return {
    verdict: 'unchecked',
    needsMoreTools: false,
    issues: [{ type: 'failed_check', detail, requiredAction: 'verify by hand' }],
  };
}
