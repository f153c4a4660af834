import type { Lesson, LessonStatus } from '../core/lesson.ts';
import { decideAdmission, earlierAdmission } from './decide-admission.ts';
import {
  counted,
  edited,
  expired,
  forgotten,
  type LessonStoreOptions,
  surplus,
  withDefaults,
} from './lesson-record.ts';
import type { Admission, Embedding, LessonStore, Outcome, RecallQuery } from './memory.ts';
import { chooseLessons, isRecallable, type Match } from './ranking.ts';
import { isComparable } from './similarity.ts';

/** Which lessons are wanted: those with one of the ids, and the active and retired ones of the scopes. */
export interface Wanted {
  ids?: readonly string[];
  scopes?: readonly string[];
}

/** Lessons to be written as they now are, new or changed; of two with one id the last one counts. */
export interface Changed<Value> {
  value: Value;
  put: readonly Lesson[];
  /** Of a lesson that is put. */
  embedding?: { id: string; embedding: Embedding } | undefined;
}

/**
 * How a store keeps and finds lessons; what they are and become is the same in every store.
 *
 * 1. `change` reads, decides and writes in one transaction that no other one of the same lessons overlaps. `decide` has no effects.
 * 2. A lesson that is not active has no place in an index and no embedding; one whose trigger changed has no embedding.
 * 3. Texts that were overwritten are gone from what the store keeps.
 */
export interface LessonBackend {
  change<Value>(wanted: Wanted, decide: (found: Lesson[]) => Changed<Value>): Promise<Value>;
  /** The same, once for each key; nothing is read or decided when it was there before. */
  changeOnce(key: string, wanted: Wanted, decide: (found: Lesson[]) => Changed<void>): Promise<void>;
  /** Newest first, then by id. */
  list(query: { scope?: string; status?: LessonStatus }): Promise<Lesson[]>;
  find(id: string): Promise<Lesson | undefined>;
  /** Active lessons of the scope that match, one list for each way to search. */
  search(query: RecallQuery): Promise<Match[][]>;
  unembedded(query: Parameters<LessonStore['unembedded']>[0]): Promise<Lesson[]>;
  embed(id: string, embedding: Embedding): Promise<void>;
  close(): Promise<void>;
}

/** The store that a backend makes: admission, counting, retirement, conflicts and ranking are here, once for all backends. */
export function governedLessons(backend: LessonBackend, options: LessonStoreOptions): LessonStore {
  const limits = withDefaults(options);
  const { ttlMs, maxLessons } = limits;

  const changeOne = (id: string, next: (lesson: Lesson) => Lesson | undefined): Promise<Lesson | undefined> =>
    backend.change({ ids: [id] }, ([lesson]) => {
      const value = lesson && next(lesson);
      return { value, put: value ? [value] : [] };
    });

  return {
    async recall(query) {
      const lists = await backend.search(query);
      if (lists.every((list) => list.length === 0)) return [];
      const active = await backend.list({ scope: query.scope, status: 'active' });
      const recallable = active.filter((lesson) => isRecallable(lesson, query));
      return chooseLessons(lists, recallable, query);
    },
    admit: (draft, meta) =>
      backend.change<Admission>({ ids: [meta.id], scopes: [meta.scope] }, (found) => {
        const earlier = found.find(({ id }) => id === meta.id);
        if (earlier) return { value: earlierAdmission(earlier), put: [] };
        const { admission, changed } = decideAdmission(draft, meta, { inScope: found, limits });
        const kept = changed.some(({ id, status }) => id === meta.id && status === 'active');
        const embedding = kept && meta.embedding && isComparable(meta.embedding) ? meta.embedding : undefined;
        return { value: admission, put: changed, embedding: embedding && { id: meta.id, embedding } };
      }),
    async report(outcomes, { run, now, key }) {
      const outcomeOf = firstOutcomes(outcomes);
      await backend.changeOnce(key, { ids: [...outcomeOf.keys()] }, (found) => ({
        value: undefined,
        put: found.map((lesson) => counted(lesson, outcomeOf.get(lesson.id) ?? 'loss', { run, now, limits })),
      }));
    },
    list: (query = {}) => backend.list(query),
    get: (id) => backend.find(id),
    edit: (id, change, now) =>
      changeOne(id, (lesson) => (lesson.status === 'forgotten' ? undefined : edited(lesson, change, { now, ttlMs }))),
    forget: async (id) =>
      (await changeOne(id, (lesson) => (lesson.status === 'forgotten' ? undefined : forgotten(lesson)))) !== undefined,
    expire: async (id, now) =>
      (await changeOne(id, (lesson) => (lesson.status === 'active' ? expired(lesson, now) : undefined))) !== undefined,
    unembedded: (query) => backend.unembedded(query),
    embed: async (id, embedding) => (isComparable(embedding) ? backend.embed(id, embedding) : undefined),
    restore: (lessons) =>
      backend.change({ ids: lessons.map(({ id }) => id), scopes: lessons.map(({ scope }) => scope) }, (found) => {
        const known = new Map(found.map((lesson) => [lesson.id, lesson]));
        const added = lessons.filter((lesson) => !known.has(lesson.id) && known.set(lesson.id, lesson));
        const over = [...new Set(added.map(({ scope }) => scope))].flatMap((scope) =>
          surplus(
            [...known.values()].filter((lesson) => lesson.scope === scope && lesson.status === 'active'),
            maxLessons,
          ),
        );
        return { value: added.length, put: [...added, ...over.map((lesson) => expired(lesson, lesson.expires))] };
      }),
    close: () => backend.close(),
  };
}

/** The first outcome of each lesson. */
function firstOutcomes(outcomes: readonly { id: string; outcome: Outcome }[]): Map<string, Outcome> {
  return new Map(outcomes.toReversed().map(({ id, outcome }) => [id, outcome]));
}
