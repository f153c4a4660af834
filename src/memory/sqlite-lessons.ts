/**
 * Lessons in one SQLite file, found by full-text search.
 *
 * 1. What the index holds is `termsOf(trigger)`, and only of active lessons; queries are made of the same terms, quoted, so no
 *    text can act as query syntax.
 * 2. A decision (admission, counting, expiry) reads and writes in one transaction that holds the write lock from the start, so
 *    two processes on one file cannot both take it.
 * 3. The file is created by the first write, never by a look.
 * 4. What is overwritten is wiped: in pages (`secure_delete`), in the index (`secure-delete` of FTS5), and in the write-ahead log, which
 *    is emptied after a lesson was forgotten. Another process that reads at that moment delays the last of these to its own end.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Lesson } from '../core/lesson.ts';
import { lazyDatabase } from '../trace/open-database.ts';
import { type Changed, governedLessons, type LessonBackend, type Wanted } from './governed-lessons.ts';
import type { LessonStoreOptions } from './lesson-record.ts';
import type { LessonStore, RecallQuery } from './memory.ts';
import type { Match } from './ranking.ts';
import { nearest } from './similarity.ts';
import { embeddingsOf, putEmbedding, putLesson, selectLessons } from './sqlite-rows.ts';
import { prepareLessons } from './sqlite-schema.ts';
import { queryTermsOf } from './tokens.ts';

/** Lessons kept in `options.file`. Throws nothing by itself; the methods reject with StateError when the file cannot be used. */
export function sqliteLessons(options: LessonStoreOptions & { file: string }): LessonStore {
  return governedLessons(sqliteBackend(options.file), options);
}

function sqliteBackend(file: string): LessonBackend {
  const database = lazyDatabase(file, (open) => prepareLessons(open, file));
  const look = <T>(otherwise: T, run: (open: DatabaseSync) => T): T =>
    database.exists() ? database.use(run) : otherwise;
  const decided = <Value>(run: (open: DatabaseSync) => Changed<Value>): Value => {
    const changed = database.transact((open) => {
      const made = run(open);
      for (const lesson of made.put) putLesson(open, lesson);
      if (made.embedding) putEmbedding(open, made.embedding.id, made.embedding.embedding);
      return made;
    });
    if (changed.put.some(({ status }) => status === 'forgotten')) {
      database.use((open) => open.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    }
    return changed.value;
  };

  return {
    async change(wanted, decide) {
      // Nothing is there to be changed, and nothing may come of it: the file is left unmade.
      if (!database.exists()) {
        const { value, put } = decide([]);
        if (put.length === 0) return value;
      }
      return decided((open) => decide(wantedOf(open, wanted)));
    },
    async changeOnce(key, wanted, decide) {
      decided((open) => {
        const isNew = open.prepare('INSERT OR IGNORE INTO lesson_reports VALUES (?)').run(key).changes > 0;
        return isNew ? decide(wantedOf(open, wanted)) : { value: undefined, put: [] };
      });
    },
    async list({ scope, status }) {
      const where = '(?1 IS NULL OR scope = ?1) AND (?2 IS NULL OR status = ?2)';
      return look([], (open) => selectLessons(open, where, scope ?? null, status ?? null));
    },
    async find(id) {
      return look(undefined, (open) => selectLessons(open, 'id = ?', id)[0]);
    },
    async search(query) {
      return look([], (open) => [byWords(open, query), byMeaning(open, query)]);
    },
    async unembedded({ scope, model, dimension, limit }) {
      return look([], (open) => {
        const known = new Set(embeddingsOf(open, { scope, model, dimension }).map(({ id }) => id));
        const active = selectLessons(open, "scope = ? AND status = 'active'", scope);
        return active.filter(({ id }) => !known.has(id)).slice(0, limit);
      });
    },
    async embed(id, embedding) {
      if (database.exists()) database.transact((open) => putEmbedding(open, id, embedding));
    },
    async close() {
      database.close();
    },
  };
}

function wantedOf(database: DatabaseSync, { ids = [], scopes = [] }: Wanted): Lesson[] {
  const where = `id IN (SELECT value FROM json_each(?))
    OR status IN ('active', 'retired') AND scope IN (SELECT value FROM json_each(?))`;
  return selectLessons(database, where, JSON.stringify(ids), JSON.stringify(scopes));
}

function byWords(database: DatabaseSync, { text, scope }: RecallQuery): Match[] {
  const terms = queryTermsOf(text);
  if (terms.length === 0) return [];
  // A term has letters, marks and digits only: there is no quote to escape, and quoting makes AND, OR and NEAR words.
  const rows = database
    .prepare(
      `SELECT lessons.id, -bm25(lesson_terms) AS score
       FROM lesson_terms JOIN lessons ON lessons.number = lesson_terms.rowid
       WHERE lesson_terms MATCH ? AND lessons.scope = ?`,
    )
    .all(terms.map((term) => `"${term}"`).join(' OR '), scope);
  return rows.map(({ id, score }) => ({ id: String(id), score: Number(score) }));
}

function byMeaning(database: DatabaseSync, { embedding, scope, minSimilarity }: RecallQuery): Match[] {
  if (!embedding) return [];
  const { model, vector } = embedding;
  return nearest(embedding, embeddingsOf(database, { scope, model, dimension: vector.length }), minSimilarity);
}
