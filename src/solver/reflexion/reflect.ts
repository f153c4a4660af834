import * as z from 'zod';
import type { Evaluator } from '../../checks/check.ts';
import { revealsReference } from '../../checks/evaluators.ts';
import { LessonDraft } from '../../core/attempt.ts';
import type { BudgetLimit } from '../../core/budget.ts';
import type { Task } from '../../core/task.ts';
import { ask } from '../../model/ask.ts';
import { rulesFor } from '../rules.ts';
import type { Run } from '../solver.ts';
import { type Failed, reflectorRules, reflectPrompt } from './prompts.ts';

/** What one trial teaches the next. */
export interface Reflection {
  trial: number;
  diagnosis: string;
  plan: string[];
  /** For later tasks; drafted from it if the next trial passes. */
  lesson?: LessonDraft | undefined;
}

const Written: z.ZodType<Omit<Reflection, 'trial'>> = z.object({
  diagnosis: z.string().trim().min(1).max(800),
  plan: z.array(z.string().trim().min(1).max(300)).min(1).max(5),
  lesson: LessonDraft.optional(),
});

/** The reflection on a failed trial, or the limit that left nothing to pay for it. */
export async function reflect(
  failed: Failed,
  context: { trial: number; task: Task; evaluator: Evaluator; run: Run },
): Promise<Reflection | BudgetLimit> {
  const { trial, task, evaluator, run } = context;
  const asked = await ask(run, {
    step: 'reflect',
    role: 'reflector',
    system: rulesFor(run, 'reflector', reflectorRules),
    prompt: reflectPrompt(task, failed, run.boundary),
    schema: Written,
  });
  if (!asked.ok) return asked.why === 'limit' ? asked.limit : nothingLearnt(trial);
  // Told as if there were none: any other word would confirm the guess.
  if (revealsReference(evaluator, JSON.stringify(asked.value), task)) return nothingLearnt(trial);
  return { trial, ...asked.value };
}

/** The next trial knows at least that this one failed. */
function nothingLearnt(trial: number): Reflection {
  return {
    trial,
    diagnosis: 'The cause is not known.',
    plan: ['Take another way and check the result before answering.'],
  };
}
