/**
 * Chain-of-Verification, factored (Dhuliawala et al. 2023, section 3): questions about the draft; each answered from the observations
 * without the draft; then draft and answers compared. A verifier that could not be asked is `unchecked`, not `fail`.
 */
import * as z from 'zod';
import { type Attempt, type Claim, Issue, type Knowledge, type Observation, type Report } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { type Asked, ask } from '../../model/ask.ts';
import { dateOf } from '../react/take-turn.ts';
import type { Run } from '../solver.ts';
import {
  answerRules,
  draftText,
  questionRules,
  questionsPrompt,
  sourcesText,
  taskLines,
  verdictPrompt,
  verdictRules,
} from './prompts.ts';

interface VerificationQuestion {
  question: string;
  /** 1-based number of the claim it is about; absent for the task as a whole. */
  claim?: number | undefined;
}

const Questions: z.ZodType<{ questions: VerificationQuestion[] }> = z.object({
  questions: z
    .array(z.object({ question: z.string().min(1), claim: z.number().int().optional() }))
    .min(1)
    .max(6),
});

const Answer: z.ZodType<{ answer: string }> = z.object({ answer: z.string().min(1) });

interface Verdict {
  verdict: 'pass' | 'revise' | 'fail';
  issues: Issue[];
  needsMoreTools: boolean;
}

/** A verdict that contradicts its own issues goes back to the verifier. */
const Verdict: z.ZodType<Verdict> = z
  .object({
    verdict: z.enum(['pass', 'revise', 'fail']),
    issues: z.array(Issue).default([]),
    needsMoreTools: z.boolean().default(false),
  })
  .refine((value) => (value.verdict === 'pass') === (value.issues.length === 0), {
    message: 'pass goes with no issues; revise and fail name at least one',
  });

/** Has the verifier check an attempt that has an answer. */
export async function chainOfVerification(attempt: Attempt, brief: Brief, run: Run): Promise<Report> {
  const verifier = run.model('verifier');
  const knows: Knowledge = verifier === run.model('actor') ? 'self' : 'another-model';
  const by = `verifier:${verifier.modelId}`;
  const unchecked = (failed: Extract<Asked<unknown>, { ok: false }>): Report => ({
    by,
    knows,
    verdict: 'unchecked',
    needsMoreTools: false,
    issues: [
      {
        type: 'failed_check',
        detail: `the verifier could not be asked: ${failed.detail}`,
        requiredAction: 'verify by hand',
      },
    ],
  });
  const date = dateOf(run.durable.now());
  const planned = await ask(run, {
    step: 'verify.questions',
    role: 'verifier',
    system: questionRules,
    prompt: questionsPrompt(attempt, brief, date),
    schema: Questions,
  });
  if (!planned.ok) return unchecked(planned);
  run.emit({ type: 'verify.questions', questions: planned.value.questions.map((planned) => planned.question) });
  const answers = await answerAll(planned.value.questions, attempt, run);
  const failed = answers.find((answer) => !answer.asked.ok)?.asked;
  if (failed && !failed.ok) return unchecked(failed);
  const compared = await ask(run, {
    step: 'verify.verdict',
    role: 'verifier',
    system: verdictRules,
    prompt: verdictPrompt(draftText(attempt), {
      task: taskLines(brief, date),
      answers: answers.flatMap(({ question, asked }) => (asked.ok ? [{ question, answer: asked.value.answer }] : [])),
    }),
    schema: Verdict,
  });
  return compared.ok ? { by, knows, ...compared.value } : unchecked(compared);
}

interface Answered {
  question: string;
  asked: Asked<{ answer: string }>;
}

/** The questions side by side, each without the draft and without the others (invariant 8). */
async function answerAll(questions: readonly VerificationQuestion[], attempt: Attempt, run: Run): Promise<Answered[]> {
  const branches = questions.map(({ question, claim }) => async (branch: Run): Promise<Answered> => {
    const cited = claim === undefined ? undefined : attempt.claims[claim - 1];
    const sources = sourcesText(sourcesFor(attempt, cited), cited ? [cited] : attempt.claims, run.boundary);
    const asked = await ask(branch, {
      step: 'answer',
      role: 'verifier',
      system: answerRules,
      prompt: `${sources || 'There are no observations.'}\nQuestion: ${question}`,
      schema: Answer,
    });
    return { question, asked };
  });
  const settled = await run.parallel('verify.answers', branches);
  return settled.map((answer, index) =>
    answer.ok
      ? answer.value
      : {
          question: questions[index]?.question ?? '',
          asked: { ok: false, why: 'model-error', detail: answer.error.message },
        },
  );
}

/** The observations a claim cites; all of them for a question about the task as a whole or an uncited claim. */
function sourcesFor(attempt: Attempt, cited: Claim | undefined): Observation[] {
  const ids = new Set(cited?.evidence.map((evidence) => evidence.observation));
  const chosen = attempt.observations.filter((seen) => ids.has(seen.id));
  return chosen.length > 0 ? chosen : attempt.observations;
}
