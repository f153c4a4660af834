import type * as z from 'zod';
import { type Attempt, type Ending, Final } from '../core/attempt.ts';
import type { Brief } from '../core/brief.ts';
import { type Asked, ask } from '../model/ask.ts';
import { sourceCharacters } from './react/context-room.ts';
import { revisionText, taskText, withRevised } from './react/prompts.ts';
import { dateOf } from './react/take-turn.ts';
import type { NamedSolver, Run } from './solver.ts';

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
    solve: (brief, run) => answerAtOnce(brief, run, { step: 'direct', system: directRules, schema: Final }),
  };
}

/** One question whose reply is the whole attempt. */
export async function answerAtOnce(
  brief: Brief,
  run: Run,
  question: { step: string; system: string; schema: z.ZodType<Final> },
): Promise<Attempt> {
  const given = withRevised(brief);
  const shown = sourceCharacters(run, 'actor', given.evidence.length);
  const text = taskText(given, { date: dateOf(run.durable.now()), boundary: run.boundary, shown });
  const draft = brief.revise ? [revisionText(brief.revise)] : [];
  const asked = await ask(run, { ...question, role: 'actor', prompt: [text, ...draft].join('\n') });
  const final = asked.ok ? asked.value : undefined;
  if (final) run.emit({ type: 'answer.drafted', answer: final.answer, claims: final.claims.length, degraded: false });
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
}

/** How an attempt ended whose only question brought no value. */
export function endingOf(asked: Extract<Asked<unknown>, { ok: false }>): Ending {
  if (asked.why === 'limit') return { type: 'limit', limit: asked.limit, detail: asked.detail };
  return { type: 'fault', fault: asked.why === 'invalid' ? 'invalid-answer' : asked.why, detail: asked.detail };
}
