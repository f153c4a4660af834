/**
 * Which lessons a recall returns.
 *
 * 1. Lists of matches are fused by reciprocal rank: the sum of 1 / (60 + rank) (Cormack, Clarke and Büttcher 2009). Matches that are
 *    nearly as good share a rank, so that the record decides between them.
 * 2. Of lessons that contradict each other the better ones are accepted: from the best record down, each that no accepted one contradicts.
 *    So two that contradict each other are never both accepted, and every rejected one has an accepted rival, which takes its place.
 * 3. At most `limit` lessons come, and at most `maxTokens` tokens of text.
 */
import type { Applicability, Lesson } from '../core/lesson.ts';
import type { RecallQuery } from './memory.ts';
import { promise } from './posterior.ts';

/** How long a lesson lives unless it is told otherwise: 90 days, in milliseconds. */
export const defaultTtlMs: number = 90 * 24 * 60 * 60 * 1000;

/** How many active lessons one scope holds. */
export const defaultMaxLessons = 500;

const defaultMaxTokens = 600;

/** Scores within this part of the best one count as equal. */
const scoreSteps = 20;
const rankConstant = 60;
const bytesPerToken = 4;

/** A lesson and how well it fits a query in one way; a greater `score` fits better, the unit is the list's own. */
export interface Match {
  id: string;
  score: number;
}

/** Whether a recall at this time may return the lesson for such a task. */
export function isRecallable(lesson: Lesson, query: Pick<RecallQuery, 'now' | 'applies'>): boolean {
  return lesson.status === 'active' && lesson.expires > query.now && fits(lesson.applies, query.applies ?? {});
}

function fits(bound: Applicability, task: Applicability): boolean {
  const agrees = (own: string | undefined, given: string | undefined): boolean =>
    own === undefined || given === undefined || own === given;
  const { tools } = task;
  return (
    agrees(bound.taskKind, task.taskKind) &&
    agrees(bound.model, task.model) &&
    (tools === undefined || (bound.tools ?? []).every((tool) => tools.includes(tool)))
  );
}

/**
 * The lessons for a query, best first. `recallable` holds those that `lists` name and all that are in conflict with any; `lists` are one
 * for each way to search.
 */
export function chooseLessons(
  lists: readonly (readonly Match[])[],
  recallable: readonly Lesson[],
  query: Pick<RecallQuery, 'limit' | 'now' | 'maxTokens'>,
): Lesson[] {
  const byId = new Map(recallable.map((lesson) => [lesson.id, lesson]));
  const strength = new Map(recallable.map((lesson) => [lesson.id, promise(lesson, query.now)]));
  const strongerFirst = (a: Lesson, b: Lesson): number =>
    (strength.get(b.id) ?? 0) - (strength.get(a.id) ?? 0) || b.created - a.created || (a.id < b.id ? -1 : 1);
  const holders = accepted([...recallable].sort(strongerFirst));
  const scores = fused(lists.map((list) => list.filter(({ id }) => byId.has(id))));
  const ranked = [...scores.keys()]
    .flatMap((id) => byId.get(id) ?? [])
    .sort((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0) || strongerFirst(a, b));
  const chosen = new Set(ranked.flatMap((lesson) => holders.get(lesson.id) ?? []));
  return withinTokens([...chosen].slice(0, Math.max(0, query.limit)), query.maxTokens ?? defaultMaxTokens);
}

/** For each lesson the one that is recalled for it: itself, or the best of those that contradict it. */
function accepted(strongestFirst: readonly Lesson[]): Map<string, Lesson> {
  const holders = new Map<string, Lesson>();
  const kept: Lesson[] = [];
  for (const lesson of strongestFirst) {
    const rival = kept.find((other) => other.conflicts.includes(lesson.id) || lesson.conflicts.includes(other.id));
    holders.set(lesson.id, rival ?? lesson);
    if (!rival) kept.push(lesson);
  }
  return holders;
}

function fused(lists: readonly (readonly Match[])[]): Map<string, number> {
  const scores = new Map<string, number>();
  for (const list of lists) {
    const top = Math.max(0, ...list.map(({ score }) => score));
    const step = ({ score }: Match): number => (top > 0 ? Math.round((score / top) * scoreSteps) : 0);
    const steps = list.map(step);
    for (const match of list) {
      const rank = 1 + steps.filter((other) => other > step(match)).length;
      scores.set(match.id, (scores.get(match.id) ?? 0) + 1 / (rankConstant + rank));
    }
  }
  return scores;
}

function withinTokens(lessons: readonly Lesson[], maxTokens: number): Lesson[] {
  let left = maxTokens;
  return lessons.filter((lesson) => {
    const tokens = Math.ceil(Buffer.byteLength(`${lesson.trigger}${lesson.lesson}${lesson.avoid}`) / bytesPerToken);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/** The lessons in the order in which a full scope gives them up: losing ones, then unused ones, then the oldest. */
export function worstFirst(lessons: readonly Lesson[]): Lesson[] {
  const losing = (lesson: Lesson) => Math.max(0, lesson.losses - lesson.wins);
  return [...lessons].sort(
    (a, b) => losing(b) - losing(a) || a.uses - b.uses || a.created - b.created || (a.id < b.id ? -1 : 1),
  );
}
