import * as z from 'zod';
import { Claim } from '../../core/attempt.ts';
import { answerAtOnce } from '../direct.ts';
import type { NamedSolver } from '../solver.ts';
import { workingRules } from './prompts.ts';

interface Worked {
  working: string[];
  answer: string;
  claims: Claim[];
}

const Worked: z.ZodType<Worked> = z.object({
  working: z.array(z.string()),
  answer: z.string().refine((text) => text.trim() !== '', 'the answer is empty'),
  claims: z.array(Claim).default([]),
});

/**
 * One call that writes its intermediate results before its answer (chain of thought, Wei et al. 2022): what self-consistency samples
 * where no tool is needed. `brief.revise`: answers again with the issues in view.
 */
export function chainOfThought(): NamedSolver {
  return {
    name: 'chain-of-thought',
    config: {},
    solve: (brief, run) => answerAtOnce(brief, run, { step: 'work', system: workingRules, schema: Worked }),
  };
}
