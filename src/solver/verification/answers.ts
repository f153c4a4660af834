/** Chain-of-Verification, steps 2 and 3: the questions and their answers, in the four variants of the paper. */
import * as z from 'zod';
import { significantLength, standsIn } from '../../checks/quote-text.ts';
import type { Attempt, Claim, Observation } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { type Asked, ask } from '../../model/ask.ts';
import { sourceView } from '../react/context-room.ts';
import { rulesFor } from '../rules.ts';
import type { Run } from '../solver.ts';
import {
  answerAllRules,
  answerPrompt,
  answerRules,
  crossCheckPrompt,
  crossCheckRules,
  jointPrompt,
  jointRules,
  questionRules,
  questionsPrompt,
  sourcesText,
  taskLines,
} from './prompts.ts';
import type { AnsweredQuestion } from './verdict.ts';

/** What is verified, and with what. */
export interface Inquiry {
  attempt: Attempt;
  brief: Brief;
  run: Run;
  /** YYYY-MM-DD. */
  date: string;
  /** The attempt's observations, and those the verifier made itself. */
  observations: readonly Observation[];
}

export interface PlannedQuestion {
  question: string;
  /** 1-based number of the claim it is about; absent for the task as a whole. */
  claim?: number | undefined;
}

type Answer = Pick<AnsweredQuestion, 'answer' | 'evidence'>;
type Relation = NonNullable<AnsweredQuestion['crossCheck']>;

const mostQuestions = 6;
/** Each of its questions may cost two calls, so it asks fewer. */
const mostCrossChecked = 4;

const Evidence = z.array(z.object({ observation: z.string(), quote: z.string() })).default([]);
const answerShape = { answer: z.string().min(1), evidence: Evidence };
const Answer: z.ZodType<Answer> = z.object(answerShape);
const Answers: z.ZodType<{ answers: (Answer & { question: number })[] }> = z.object({
  answers: z.array(z.object({ question: z.number().int().describe('its number'), ...answerShape })),
});
const Relation: z.ZodType<Relation> = z.object({
  relation: z.enum(['consistent', 'inconsistent', 'unclear']),
  why: z.string(),
});

type QuestionList = z.ZodType<{ questions: PlannedQuestion[] }>;
const questionList = (most: number): QuestionList =>
  z.object({
    questions: z
      .array(z.object({ question: z.string().min(1), claim: z.number().int().optional() }))
      .min(1)
      .max(most),
  });
const Questions: QuestionList = questionList(mostQuestions);
const FewQuestions: QuestionList = questionList(mostCrossChecked);
const JointAnswers: z.ZodType<{ questions: (Answer & { question: string })[] }> = z.object({
  questions: z
    .array(z.object({ question: z.string().min(1), ...answerShape }))
    .min(1)
    .max(mostQuestions),
});

/** Questions planned from the draft; `few` where each of them is cross-checked as well. */
export async function planQuestions(inquiry: Inquiry, few: boolean): Promise<Asked<PlannedQuestion[]>> {
  const { attempt, brief, date, run } = inquiry;
  const planned = await ask(run, {
    step: 'verify.questions',
    role: 'verifier',
    system: rulesFor(run, 'verifier', questionRules(few ? mostCrossChecked : mostQuestions)),
    prompt: questionsPrompt(attempt, brief, date),
    schema: few ? FewQuestions : Questions,
  });
  return planned.ok ? { ok: true, value: planned.value.questions } : planned;
}

/** Joint: one prompt plans the questions and answers them, so the answers see the draft and may repeat its errors. */
export async function answerJointly(inquiry: Inquiry): Promise<Asked<AnsweredQuestion[]>> {
  const { attempt, brief, date, run, observations } = inquiry;
  const sources = sourcesText(observations, attempt.claims, sourceView(run, 'verifier', observations.length));
  const asked = await ask(run, {
    step: 'verify.joint',
    role: 'verifier',
    system: jointRules(mostQuestions),
    prompt: jointPrompt(attempt, { task: taskLines(brief, date), sources }),
    schema: JointAnswers,
  });
  if (!asked.ok) return asked;
  return { ok: true, value: asked.value.questions.map((answered) => grounded(answered, observations)) };
}

/** Two-step: one prompt answers all planned questions without the draft; an answer may still follow the ones before it. */
export async function answerTogether(
  questions: readonly PlannedQuestion[],
  inquiry: Inquiry,
): Promise<Asked<AnsweredQuestion[]>> {
  const { attempt, run, observations } = inquiry;
  const asked = await ask(run, {
    step: 'verify.answers',
    role: 'verifier',
    system: answerAllRules,
    prompt: answerPrompt(
      sourcesText(observations, attempt.claims, sourceView(run, 'verifier', observations.length)),
      questions.map(({ question }) => question),
    ),
    schema: Answers,
  });
  if (!asked.ok) return asked;
  const answers: AnsweredQuestion[] = [];
  for (const [index, { question }] of questions.entries()) {
    const answer = asked.value.answers.find((given) => given.question === index + 1);
    if (!answer) return { ok: false, why: 'invalid', detail: `question ${index + 1} was not answered` };
    answers.push(grounded({ ...answer, question }, observations));
  }
  return { ok: true, value: answers };
}

/**
 * Factored: every question on its own, side by side, without the draft and without the others (invariant 8). With `crossCheck`, for
 * factor+revise, an answer that rests on a source is held against the draft in a prompt of its own.
 */
export async function answerEach(
  questions: readonly PlannedQuestion[],
  inquiry: Inquiry,
  crossCheck: boolean,
): Promise<Asked<AnsweredQuestion[]>> {
  const settled = await inquiry.run.parallel(
    'verify.answers',
    questions.map((planned) => async (run: Run): Promise<Asked<AnsweredQuestion>> => {
      const answered = await answerOne(planned, { ...inquiry, run });
      return answered.ok && crossCheck ? withCrossCheck(answered.value, { ...inquiry, run }) : answered;
    }),
  );
  const answers: AnsweredQuestion[] = [];
  for (const branch of settled) {
    if (!branch.ok) return { ok: false, why: 'model-error', detail: branch.error.message };
    if (!branch.value.ok) return branch.value;
    answers.push(branch.value.value);
  }
  return { ok: true, value: answers };
}

async function answerOne(planned: PlannedQuestion, inquiry: Inquiry): Promise<Asked<AnsweredQuestion>> {
  const { attempt, run, observations } = inquiry;
  const cited = planned.claim === undefined ? undefined : attempt.claims[planned.claim - 1];
  const shown = sourcesFor(cited, inquiry);
  const asked = await ask(run, {
    step: 'answer',
    role: 'verifier',
    system: rulesFor(run, 'verifier', answerRules),
    prompt: answerPrompt(
      sourcesText(shown, cited ? [cited] : attempt.claims, sourceView(run, 'verifier', shown.length)),
      [planned.question],
    ),
    schema: Answer,
  });
  return asked.ok ? { ok: true, value: grounded({ ...asked.value, question: planned.question }, observations) } : asked;
}

/** The observations a claim cites and the verifier's own; all of them for a question about the task as a whole or an uncited claim. */
function sourcesFor(cited: Claim | undefined, { attempt, observations }: Inquiry): readonly Observation[] {
  const ids = new Set(cited?.evidence.map((evidence) => evidence.observation));
  if (!attempt.observations.some(({ id }) => ids.has(id))) return observations;
  return observations.filter((seen) => ids.has(seen.id) || !attempt.observations.includes(seen));
}

async function withCrossCheck(answered: AnsweredQuestion, inquiry: Inquiry): Promise<Asked<AnsweredQuestion>> {
  // From memory nothing is held against the draft.
  if (answered.evidence.length === 0) return { ok: true, value: answered };
  const asked = await ask(inquiry.run, {
    step: 'crosscheck',
    role: 'verifier',
    system: crossCheckRules,
    prompt: crossCheckPrompt(inquiry.attempt, answered),
    schema: Relation,
  });
  return asked.ok ? { ok: true, value: { ...answered, crossCheck: asked.value } } : asked;
}

/** The answer with those of its quotes that stand in an observation. */
function grounded(
  { question, answer, evidence }: AnsweredQuestion,
  observations: readonly Observation[],
): AnsweredQuestion {
  const found = evidence.filter(({ observation, quote }) => {
    const content = observations.find(({ id }) => id === observation)?.content ?? '';
    return significantLength(quote) > 0 && standsIn(quote, content);
  });
  return { question, answer, evidence: found };
}
