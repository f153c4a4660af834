import type { Lesson } from '../core/lesson.ts';

/** How long a lesson lives unless it is told otherwise: 90 days, in milliseconds. */
export const defaultTtlMs: number = 90 * 24 * 60 * 60 * 1000;

/** How many active lessons one scope holds. */
export const defaultMaxLessons = 500;

/** Relevances within this part of the best one count as equal, so that the record decides between them. */
const relevanceSteps = 20;

/** A lesson that keeps losing is not shown any more; it stays on record. */
export function isSuppressed(lesson: Pick<Lesson, 'wins' | 'losses'>): boolean {
  return lesson.losses >= 3 && lesson.losses > 2 * lesson.wins;
}

/** Whether a recall at this time may return the lesson. */
export function isRecallable(lesson: Lesson, now: number): boolean {
  return lesson.status === 'active' && lesson.expires > now && !isSuppressed(lesson);
}

/** A lesson and how well it fits a query; a greater `relevance` fits better, the unit is the index's own. */
export interface Match {
  lesson: Lesson;
  relevance: number;
}

/** The lessons of the matches, best first: by relevance, then by the share of wins, then the newer one. */
export function bestFirst(matches: readonly Match[]): Lesson[] {
  const top = Math.max(0, ...matches.map((match) => match.relevance));
  const step = (match: Match) => (top > 0 ? Math.round((match.relevance / top) * relevanceSteps) : 0);
  return [...matches]
    .sort(
      (a, b) =>
        step(b) - step(a) ||
        record(b.lesson) - record(a.lesson) ||
        b.lesson.created - a.lesson.created ||
        (a.lesson.id < b.lesson.id ? -1 : 1),
    )
    .map((match) => match.lesson);
}

/** The lessons in the order in which a full scope gives them up: losing ones, then unused ones, then the oldest. */
export function worstFirst(lessons: readonly Lesson[]): Lesson[] {
  const losing = (lesson: Lesson) => Math.max(0, lesson.losses - lesson.wins);
  return [...lessons].sort(
    (a, b) => losing(b) - losing(a) || a.uses - b.uses || a.created - b.created || (a.id < b.id ? -1 : 1),
  );
}

/** The share of wins, with one win and one loss assumed, so that one outcome is not yet a reputation. */
function record(lesson: Lesson): number {
  return (lesson.wins + 1) / (lesson.wins + lesson.losses + 2);
}

/** What SQLite's full-text index uses, so that both stores rank alike (Robertson and Zaragoza 2009, section 3.2). */
const saturation = 1.2;
const lengthWeight = 0.75;
const leastRarity = 1e-6;

/** The BM25 relevance of each document for the query terms; 0 where no term occurs. */
export function bm25(query: readonly string[], documents: readonly (readonly string[])[]): number[] {
  const average = documents.reduce((sum, terms) => sum + terms.length, 0) / Math.max(1, documents.length);
  const rarity = new Map(query.map((term) => [term, rarityOf(term, documents)]));
  return documents.map((terms) => {
    let relevance = 0;
    for (const [term, weight] of rarity) {
      const count = terms.filter((own) => own === term).length;
      if (count === 0) continue;
      const length = 1 - lengthWeight + (lengthWeight * terms.length) / average;
      relevance += (weight * count * (saturation + 1)) / (count + saturation * length);
    }
    return relevance;
  });
}

function rarityOf(term: string, documents: readonly (readonly string[])[]): number {
  const holders = documents.filter((terms) => terms.includes(term)).length;
  const value = Math.log((documents.length - holders + 0.5) / (holders + 0.5));
  return value > 0 ? value : leastRarity;
}
