import type { Attempt, LessonDraft } from '../../core/attempt.ts';
import type { Lesson } from '../../core/lesson.ts';
import type { Outcome } from '../../memory/memory.ts';
import { forbidsTool } from '../../memory/passing.ts';
import { relationOf } from '../../memory/relation.ts';

/** Whether the attempt passed an outside judgement and was no last answer of a limit. */
export function isWon(attempt: Attempt): boolean {
  return attempt.reports.at(-1)?.verdict === 'pass' && !attempt.degraded;
}

/**
 * What the attempt says of each lesson that it was given. A lesson that forbids a tool is refuted by a passing attempt in which that tool
 * worked; one that the attempt's own draft contradicts had to be overcome, and loses.
 */
export function outcomesOf(
  recalled: readonly Lesson[],
  attempt: Attempt,
  drafts: readonly LessonDraft[],
): { id: string; outcome: Outcome }[] {
  const won = isWon(attempt);
  const working = new Set(attempt.observations.filter(({ status }) => status === 'ok').map(({ tool }) => tool));
  return recalled.map((lesson) => {
    const refuted = won && [...working].some((tool) => forbidsTool(lesson, tool));
    const overcome = drafts.some((draft) => relationOf(draft, lesson) === 'opposed');
    return { id: lesson.id, outcome: refuted ? 'refuted' : won && !overcome ? 'win' : 'loss' };
  });
}
