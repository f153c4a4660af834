import { type Attempt, type Ending, Final } from '../core/attempt.ts';
import { type Asked, ask } from '../model/ask.ts';
import { revisionText, taskText, withRevised } from './react/prompts.ts';
import { dateOf } from './react/take-turn.ts';
import type { NamedSolver } from './solver.ts';

const directRules = `ROLE direct
Answer the task at once, without tools. Keep every condition it sets. Claims rest only on observations given in the task, quoted
word for word; without any, make no claims. Answer in the language of the task.`;

/**
 * One call and no tools: the baseline every mechanism has to beat.
 * `brief.revise`: answers again with the issues in view.
 */
export function direct(): NamedSolver {
  return {
    name: 'direct',
    config: {},
    solve: async (brief, run) => {
      const given = withRevised(brief);
      const text = taskText(given, { date: dateOf(run.durable.now()), boundary: run.boundary });
      const draft = brief.revise ? [revisionText(brief.revise)] : [];
      const asked = await ask(run, {
        step: 'direct',
        role: 'actor',
        system: directRules,
        prompt: [text, ...draft].join('\n'),
        schema: Final,
      });
      const attempt: Attempt = {
        answer: asked.ok ? asked.value.answer : undefined,
        claims: asked.ok ? asked.value.claims : [],
        observations: given.evidence,
        plan: given.plan,
        reports: [],
        drafts: [],
        ended: asked.ok ? { type: 'final' } : endingOf(asked),
        degraded: false,
        revisions: 0,
      };
      if (attempt.answer !== undefined) {
        run.emit({
          type: 'answer.drafted',
          answer: attempt.answer,
          claims: attempt.claims.length,
          degraded: false,
        });
      }
      return attempt;
    },
  };
}

/** How an attempt ended whose only question brought no value. */
export function endingOf(asked: Extract<Asked<unknown>, { ok: false }>): Ending {
  if (asked.why === 'limit') return { type: 'limit', limit: asked.limit, detail: asked.detail };
  return { type: 'fault', fault: asked.why === 'invalid' ? 'invalid-answer' : asked.why, detail: asked.detail };
}
