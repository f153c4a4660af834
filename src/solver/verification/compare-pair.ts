import * as z from 'zod';
import type { Claim, Observation } from '../../core/attempt.ts';
import type { Task } from '../../core/task.ts';
import { type Asked, ask } from '../../model/ask.ts';
import { sourceView } from '../react/context-room.ts';
import type { Run } from '../solver.ts';
import { comparePrompt, compareRules } from './prompts.ts';

/** An answer to be compared: a `Final`, or an `Attempt` that has one. */
export interface ComparedAnswer {
  answer?: string | undefined;
  claims: readonly Claim[];
}

export interface PairQuestion {
  task: Task;
  first: ComparedAnswer;
  second: ComparedAnswer;
  /** What both are measured against. Without any the judge knows no more than the actor. */
  sources: readonly Observation[];
}

export interface PairVerdict {
  /** `tie` also where the two orders disagree; `unchecked` where one of them brought no verdict. */
  winner: 'first' | 'second' | 'tie' | 'unchecked';
  /** The judge named the same place in both orders: it went by the position, not by the answers. */
  flipped: boolean;
}

type Preference = 'A' | 'B' | 'tie';

const Preferred: z.ZodType<{ better: Preference; why: string }> = z.object({
  better: z.enum(['A', 'B', 'tie']),
  why: z.string(),
});

/**
 * Which of two answers is better, asked of the `judge` in both orders, since a judge prefers a position (Zheng et al. 2023, section 3.4).
 * Answers of the same words are a tie that nobody is asked about. Costs two model calls.
 */
export async function comparePair(run: Run, question: PairQuestion): Promise<PairVerdict> {
  const { first, second } = question;
  if (first.answer === second.answer) return { winner: 'tie', flipped: false };
  const orders = [
    { a: first, b: second },
    { a: second, b: first },
  ];
  const settled = await run.parallel(
    'compare',
    orders.map((order) => (branch: Run) => prefer(branch, question, order)),
  );
  const [straight, turned] = settled.map((order) =>
    order.ok && order.value.ok ? order.value.value.better : undefined,
  );
  if (!(straight && turned)) return { winner: 'unchecked', flipped: false };
  if (straight === 'A' && turned === 'B') return { winner: 'first', flipped: false };
  if (straight === 'B' && turned === 'A') return { winner: 'second', flipped: false };
  return { winner: 'tie', flipped: straight !== 'tie' && straight === turned };
}

function prefer(
  run: Run,
  { task, sources }: PairQuestion,
  order: { a: ComparedAnswer; b: ComparedAnswer },
): Promise<Asked<{ better: Preference }>> {
  return ask(run, {
    step: 'compare',
    role: 'judge',
    system: compareRules,
    prompt: comparePrompt(task, order, { sources, ...sourceView(run, 'judge', sources.length) }),
    schema: Preferred,
  });
}
