import type { Lesson } from '../core/lesson.ts';
import { judgeDraft } from './admission.ts';
import {
  counted,
  expired,
  forgotten,
  type LessonStoreOptions,
  newLesson,
  surplus,
  withDefaults,
} from './lesson-record.ts';
import type { LessonStore } from './memory.ts';
import { bestFirst, bm25, isRecallable } from './ranking.ts';
import { termsOf } from './tokens.ts';

/** Lessons that live as long as the process: for tests, and for agents that must leave nothing behind. */
export function inMemoryLessons(options: LessonStoreOptions = {}): LessonStore {
  const { ttlMs, maxLessons } = withDefaults(options);
  const lessons = new Map<string, Lesson>();
  const reported = new Set<string>();

  const active = (scope?: string) =>
    [...lessons.values()].filter(
      (lesson) => lesson.status === 'active' && (scope === undefined || lesson.scope === scope),
    );
  const put = (lesson: Lesson) => lessons.set(lesson.id, lesson);
  const makeRoom = (scope: string, now: number, admitted?: string) => {
    for (const lesson of surplus(active(scope), maxLessons, admitted)) put(expired(lesson, now));
  };

  return {
    async recall({ text, scope, limit, now }) {
      const known = active();
      const relevances = bm25(
        termsOf(text),
        known.map((lesson) => termsOf(lesson.trigger)),
      );
      const matches = known
        .map((lesson, index) => ({ lesson, relevance: relevances[index] ?? 0 }))
        .filter((match) => match.relevance > 0 && match.lesson.scope === scope && isRecallable(match.lesson, now));
      return bestFirst(matches).slice(0, Math.max(0, limit)).map(copy);
    },
    async admit(draft, meta) {
      if (lessons.has(meta.id)) return { id: meta.id, admitted: true, why: 'new' };
      for (const lesson of active()) if (lesson.expires <= meta.now) put(expired(lesson, meta.now));
      const judged = judgeDraft(draft, active(meta.scope));
      if (judged.admitted) {
        put(newLesson(draft, meta, ttlMs));
        makeRoom(meta.scope, meta.now, meta.id);
      }
      return { id: meta.id, ...judged };
    },
    async report(ids, outcome, key) {
      if (reported.has(key)) return;
      reported.add(key);
      for (const id of new Set(ids)) {
        const lesson = lessons.get(id);
        if (lesson) put(counted(lesson, outcome));
      }
    },
    async list({ scope, status } = {}) {
      return [...lessons.values()]
        .filter((lesson) => scope === undefined || lesson.scope === scope)
        .filter((lesson) => status === undefined || lesson.status === status)
        .sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1))
        .map(copy);
    },
    async get(id) {
      const lesson = lessons.get(id);
      return lesson && copy(lesson);
    },
    async forget(id) {
      const lesson = lessons.get(id);
      if (!lesson || lesson.status === 'forgotten') return false;
      put(forgotten(lesson));
      return true;
    },
    async expire(id, now) {
      const lesson = lessons.get(id);
      if (lesson?.status !== 'active') return false;
      put(expired(lesson, now));
      return true;
    },
    async restore(added) {
      const before = lessons.size;
      for (const lesson of added) if (!lessons.has(lesson.id)) put(copy(lesson));
      for (const lesson of added) makeRoom(lesson.scope, lesson.expires);
      return lessons.size - before;
    },
    async close() {},
  };
}

/** Callers may change what they get without changing the store. */
function copy(lesson: Lesson): Lesson {
  return { ...lesson };
}
