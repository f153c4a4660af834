import * as z from 'zod';
import type { EvaluatingRun } from '../../checks/evaluators.ts';
import { ask } from '../../model/ask.ts';
import type { PairJudgement } from './length-control.ts';
import { lengthRules, pairPrompt, pairRules, type RubricPrompt } from './prompts.ts';

type Preference = 'A' | 'B' | 'tie';

const Preferred: z.ZodType<{ better: Preference; why: string }> = z.object({
  better: z.enum(['A', 'B', 'tie']),
  why: z.string().max(600),
});

/** From here on a winner may have won by its length. */
const muchLonger = 1.5;

export interface PairedAnswers {
  answer: string;
  baseline: string;
}

/**
 * Judges two answers in both orders; verdicts that go by the position are a tie (Zheng et al. 2023, section 3.4). A winner more than 1.5
 * times as long as the other is judged again with the word that length is no merit, and that verdict counts. Costs two or four calls.
 */
export async function judgePair(
  run: EvaluatingRun,
  facts: RubricPrompt,
  pair: PairedAnswers,
): Promise<PairJudgement & { why: string }> {
  const lengths = { answerLength: pair.answer.trim().length, baselineLength: pair.baseline.trim().length };
  const known = { task: facts.task.id, ...lengths };
  if (pair.answer.trim() === pair.baseline.trim())
    return { ...known, winner: 'tie', flipped: false, reasked: false, why: 'the answers are the same' };
  const said = { answer: run.redact(pair.answer), baseline: run.redact(pair.baseline) };
  const first = await inBothOrders(run, facts, said, '');
  if (!wonByLength(first.winner, lengths)) return { ...known, ...first, reasked: false };
  return { ...known, ...(await inBothOrders(run, facts, said, lengthRules)), reasked: true };
}

type Judged = Pick<PairJudgement, 'winner' | 'flipped'> & { why: string };

function wonByLength(
  winner: Judged['winner'],
  lengths: Pick<PairJudgement, 'answerLength' | 'baselineLength'>,
): boolean {
  const { answerLength, baselineLength } = lengths;
  if (winner === 'answer') return answerLength > muchLonger * baselineLength;
  return winner === 'baseline' && baselineLength > muchLonger * answerLength;
}

async function inBothOrders(
  run: EvaluatingRun,
  facts: RubricPrompt,
  { answer, baseline }: PairedAnswers,
  rules: string,
): Promise<Judged> {
  const [straight, turned] = await Promise.all([
    preferred(run, facts, { step: 'grade.straight', a: answer, b: baseline, rules }),
    preferred(run, facts, { step: 'grade.turned', a: baseline, b: answer, rules }),
  ]);
  const { why } = straight;
  if (straight.better === 'A' && turned.better === 'B') return { winner: 'answer', flipped: false, why };
  if (straight.better === 'B' && turned.better === 'A') return { winner: 'baseline', flipped: false, why };
  const flipped = straight.better !== 'tie' && straight.better === turned.better;
  return { winner: 'tie', flipped, why: flipped ? 'the verdict went by the order of the answers' : why };
}

async function preferred(
  run: EvaluatingRun,
  facts: RubricPrompt,
  { step, a, b, rules }: { step: string; a: string; b: string; rules: string },
): Promise<{ better: Preference; why: string }> {
  const asked = await ask(run, {
    step,
    role: 'judge',
    system: pairRules + rules,
    prompt: run.redact(pairPrompt(facts, { a, b })),
    schema: Preferred,
  });
  if (!asked.ok) throw new Error(`the judge gave no verdict: ${asked.detail}`);
  return asked.value;
}
