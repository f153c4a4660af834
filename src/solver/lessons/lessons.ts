import { type Attempt, LessonDraft } from '../../core/attempt.ts';
import { messageOf, mustPass } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import type { Task } from '../../core/task.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { ask } from '../../model/ask.ts';
import type { Layer, Run } from '../solver.ts';
import { lessonText, reflectPrompt, reflectRules } from './prompts.ts';

export interface LessonsOptions {
  store: LessonStore;
  /** Lessons recalled at most. Default 3. */
  limit?: number;
  /** Where lessons apply, for example one project. Default `default`. */
  scope?: string;
}

/**
 * Recalls lessons before, counts their outcome and admits new ones after (the memory of Reflexion, section 3.3). Every touch of the
 * store is a step: what was recalled belongs to the run, not to the moment of a replay.
 * `brief.revise`: recalls nothing anew, passes it on.
 */
export function lessons(options: LessonsOptions): Layer {
  const { store, limit = 3, scope = 'default' } = options;
  return {
    name: 'lessons',
    config: { limit, scope },
    place: 'information',
    wrap: (inner) => async (brief, run) => {
      if (brief.revise) return inner(brief, run);
      const text = [brief.task.input, ...brief.task.constraints].join('\n');
      const recalled = await tolerated(run, 'recall', [], () =>
        store.recall({ text, scope, limit, now: run.durable.now() }),
      );
      run.emit({
        type: 'lesson.recalled',
        lessons: recalled.map(({ id, trigger, lesson }) => ({ id, trigger, lesson })),
      });
      const notes = recalled.map((lesson) => ({ from: 'lesson' as const, text: lessonText(lesson) }));
      const attempt = await inner({ ...brief, notes: [...brief.notes, ...notes] }, run);
      const won = attempt.reports.at(-1)?.verdict === 'pass' && !attempt.degraded;
      if (recalled.length > 0) {
        const ids = recalled.map((lesson) => lesson.id);
        await tolerated(run, 'report', null, async ({ idempotencyKey }) => {
          await store.report(ids, won ? 'win' : 'loss', idempotencyKey);
          return null;
        });
      }
      if (!won) return attempt;
      const drafts = [...attempt.drafts, ...(await draftFromRepair(attempt, brief.task, run))];
      await admit(drafts, { store, scope, run });
      return { ...attempt, drafts };
    },
  };
}

/** A mended attempt teaches something: what the reports found and what then passed. */
async function draftFromRepair(attempt: Attempt, task: Task, run: Run): Promise<LessonDraft[]> {
  const mended = attempt.revisions > 0 && attempt.reports.some((report) => report.issues.length > 0);
  if (!mended || attempt.drafts.length > 0) return [];
  const asked = await ask(run, {
    step: 'lessons.reflect',
    role: 'reflector',
    system: reflectRules,
    prompt: reflectPrompt(task, attempt),
    schema: LessonDraft,
    tries: 2,
  });
  return asked.ok ? [asked.value] : [];
}

async function admit(
  drafts: readonly LessonDraft[],
  context: { store: LessonStore; scope: string; run: Run },
): Promise<void> {
  const { store, scope, run } = context;
  for (const draft of drafts) {
    const admission = await tolerated(run, 'admit', undefined, ({ idempotencyKey }) =>
      store.admit(draft, { id: idempotencyKey, source: run.runId, scope, now: run.durable.now() }),
    );
    if (admission) run.emit({ type: 'lesson.admitted', ...admission, lesson: draft.lesson });
  }
}

/** A memory that fails costs the lesson, never the answer; it is reported as an event. */
async function tolerated<T>(
  run: Run,
  what: 'recall' | 'report' | 'admit',
  fallback: T,
  fn: (context: StepContext) => Promise<T>,
): Promise<T> {
  try {
    return await run.step(`lessons.${what}`, fn);
  } catch (error) {
    if (mustPass(error)) throw error;
    run.emit({ type: 'lesson.failed', what, why: run.redact(messageOf(error)) });
    return fallback;
  }
}
