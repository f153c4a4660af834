import type { Lesson } from '../core/lesson.ts';
import { bm25 } from './bm25.ts';
import { governedLessons, type LessonBackend, type Wanted } from './governed-lessons.ts';
import type { LessonStoreOptions } from './lesson-record.ts';
import type { Embedding, LessonStore, RecallQuery } from './memory.ts';
import type { Match } from './ranking.ts';
import { areOfOneKind, nearest } from './similarity.ts';
import { queryTermsOf, termsOf } from './tokens.ts';

/** Lessons that live as long as the process: for tests, and for agents that must leave nothing behind. */
export function inMemoryLessons(options: LessonStoreOptions = {}): LessonStore {
  return governedLessons(inMemoryBackend(), options);
}

/** Lessons go in and out as copies: callers may change what they get without changing the store. */
function inMemoryBackend(): LessonBackend {
  const lessons = new Map<string, Lesson>();
  const embeddings = new Map<string, Embedding>();
  const keys = new Set<string>();

  const where = (fits: (lesson: Lesson) => boolean): Lesson[] =>
    structuredClone([...lessons.values()].filter(fits)).sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1));
  const wantedOf = ({ ids = [], scopes = [] }: Wanted): Lesson[] =>
    where(
      ({ id, scope, status }) =>
        ids.includes(id) || (scopes.includes(scope) && (status === 'active' || status === 'retired')),
    );
  const put = (lesson: Lesson): void => {
    if (lesson.status !== 'active' || lessons.get(lesson.id)?.trigger !== lesson.trigger) embeddings.delete(lesson.id);
    lessons.set(lesson.id, structuredClone(lesson));
  };
  const list: LessonBackend['list'] = async ({ scope, status }) =>
    where(
      (lesson) => (scope === undefined || lesson.scope === scope) && (status === undefined || lesson.status === status),
    );
  const change: LessonBackend['change'] = async (wanted, decide) => {
    const changed = decide(wantedOf(wanted));
    for (const lesson of changed.put) put(lesson);
    if (changed.embedding) embeddings.set(changed.embedding.id, changed.embedding.embedding);
    return structuredClone(changed.value);
  };

  return {
    change,
    async changeOnce(key, wanted, decide) {
      if (keys.has(key)) return;
      keys.add(key);
      await change(wanted, decide);
    },
    list,
    find: async (id) => structuredClone(lessons.get(id)),
    async search(query) {
      const active = await list({ scope: query.scope, status: 'active' });
      return [byWords(query, active), byMeaning(query, active, embeddings)];
    },
    async unembedded({ scope, model, dimension, limit }) {
      const kind = { model, vector: { length: dimension } };
      const missing = (await list({ scope, status: 'active' })).filter(({ id }) => {
        const known = embeddings.get(id);
        return !known || !areOfOneKind(known, kind);
      });
      return missing.slice(0, limit);
    },
    async embed(id, embedding) {
      if (lessons.get(id)?.status === 'active') embeddings.set(id, embedding);
    },
    async close() {},
  };
}

function byWords({ text }: RecallQuery, active: readonly Lesson[]): Match[] {
  const scores = bm25(
    queryTermsOf(text),
    active.map(({ trigger }) => termsOf(trigger)),
  );
  return active.map(({ id }, index) => ({ id, score: scores[index] ?? 0 })).filter(({ score }) => score > 0);
}

function byMeaning(
  { embedding, minSimilarity }: RecallQuery,
  active: readonly Lesson[],
  embeddings: ReadonlyMap<string, Embedding>,
): Match[] {
  const embedded = active.flatMap(({ id }) => {
    const known = embeddings.get(id);
    return known ? [{ id, embedding: known }] : [];
  });
  return embedding ? nearest(embedding, embedded, minSimilarity) : [];
}
