import * as z from 'zod';
import { Claim } from '../../core/attempt.ts';
import { ask } from '../../model/ask.ts';
import { endingOf } from '../direct.ts';
import { revisionText, taskText, withRevised } from '../react/prompts.ts';
import { dateOf } from '../react/take-turn.ts';
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
    solve: async (brief, run) => {
      const given = withRevised(brief);
      const text = taskText(given, { date: dateOf(run.durable.now()), boundary: run.boundary });
      const draft = brief.revise ? [revisionText(brief.revise)] : [];
      const asked = await ask(run, {
        step: 'work',
        role: 'actor',
        system: workingRules,
        prompt: [text, ...draft].join('\n'),
        schema: Worked,
      });
      const final = asked.ok ? asked.value : undefined;
      if (final) {
        const { answer, claims } = final;
        run.emit({ type: 'answer.drafted', answer, claims: claims.length, degraded: false });
      }
      return {
        answer: final?.answer,
        claims: final?.claims ?? [],
        observations: given.evidence,
        plan: given.plan,
        reports: [],
        drafts: [],
        ended: asked.ok ? { type: 'final' } : endingOf(asked),
        degraded: false,
        revisions: 0,
      };
    },
  };
}
