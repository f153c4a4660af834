/**
 * Lessons in one SQLite file, found by full-text search.
 *
 * 1. What the index holds is `termsOf(trigger)`, and only of active lessons; queries are made of the same terms, quoted, so no
 *    text can act as query syntax.
 * 2. A decision (admission, counting, expiry) reads and writes in one transaction that holds the write lock from the start, so
 *    two processes on one file cannot both take it.
 * 3. The file is created by the first write, never by a look.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { StateError } from '../core/errors.ts';
import type { Lesson } from '../core/lesson.ts';
import { inTransaction, lazyDatabase } from '../trace/open-database.ts';
import { judgeDraft } from './admission.ts';
import { expired, forgotten, type LessonStoreOptions, newLesson, surplus, withDefaults } from './lesson-record.ts';
import type { LessonStore } from './memory.ts';
import { bestFirst, isRecallable, type Match } from './ranking.ts';
import { termsOf } from './tokens.ts';

/** Applied in order; `user_version` counts how many were. */
const migrations: readonly string[] = [
  `CREATE TABLE lessons (
     number INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     source TEXT NOT NULL,
     scope TEXT NOT NULL,
     "trigger" TEXT NOT NULL,
     failure_pattern TEXT NOT NULL,
     lesson TEXT NOT NULL,
     avoid TEXT NOT NULL,
     created REAL NOT NULL,
     expires REAL NOT NULL,
     uses INTEGER NOT NULL,
     wins INTEGER NOT NULL,
     losses INTEGER NOT NULL,
     status TEXT NOT NULL CHECK (status IN ('active', 'expired', 'forgotten'))
   ) STRICT;
   CREATE INDEX lessons_by_scope ON lessons (scope, status);
   CREATE TABLE lesson_reports (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
   CREATE VIRTUAL TABLE lesson_terms USING fts5 (terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");`,
];

/** A query of more terms takes the first and the last half of them: tasks say what they want at one of the two ends. */
const maxQueryTerms = 200;

/** Lessons kept in `options.file`. Throws nothing by itself; the methods reject with StateError when the file cannot be used. */
export function sqliteLessons(options: LessonStoreOptions & { file: string }): LessonStore {
  const { ttlMs, maxLessons } = withDefaults(options);
  const database = lazyDatabase(options.file, (open) => migrate(open, options.file));
  const look = <T>(otherwise: T, run: (open: DatabaseSync) => T): T =>
    database.exists() ? database.use(run) : otherwise;

  return {
    async recall({ text, scope, limit, now }) {
      const query = matchExpression(text);
      if (query === undefined) return [];
      const matches = look([], (open) => search(open, query, scope));
      return bestFirst(matches.filter(({ lesson }) => isRecallable(lesson, now))).slice(0, Math.max(0, limit));
    },
    async admit(draft, meta) {
      return database.transact((open) => {
        if (find(open, meta.id)) return { id: meta.id, admitted: true, why: 'new' };
        const late = select(open, "status = 'active' AND expires <= ?", meta.now);
        for (const lesson of late) put(open, expired(lesson, meta.now));
        const judged = judgeDraft(draft, activeOf(open, meta.scope));
        if (judged.admitted) {
          put(open, newLesson(draft, meta, ttlMs));
          const worst = surplus(activeOf(open, meta.scope), maxLessons, meta.id);
          for (const lesson of worst) put(open, expired(lesson, meta.now));
        }
        return { id: meta.id, ...judged };
      });
    },
    async report(ids, outcome, key) {
      database.transact((open) => {
        if (open.prepare('INSERT OR IGNORE INTO lesson_reports VALUES (?)').run(key).changes === 0) return;
        const [wins, losses] = outcome === 'win' ? [1, 0] : [0, 1];
        const count = open.prepare(
          'UPDATE lessons SET uses = uses + 1, wins = wins + ?, losses = losses + ? WHERE id = ?',
        );
        for (const id of new Set(ids)) count.run(wins, losses, id);
      });
    },
    async list({ scope, status } = {}) {
      const where = '(?1 IS NULL OR scope = ?1) AND (?2 IS NULL OR status = ?2)';
      return look([], (open) => select(open, where, scope ?? null, status ?? null));
    },
    async get(id) {
      return look(undefined, (open) => find(open, id));
    },
    async forget(id) {
      return change(id, (lesson) => (lesson.status === 'forgotten' ? undefined : forgotten(lesson)));
    },
    async expire(id, now) {
      return change(id, (lesson) => (lesson.status === 'active' ? expired(lesson, now) : undefined));
    },
    async restore(lessons) {
      return database.transact((open) => {
        const added = lessons.filter((lesson) => !find(open, lesson.id) && put(open, lesson));
        for (const { scope, expires } of added) {
          for (const lesson of surplus(activeOf(open, scope), maxLessons)) put(open, expired(lesson, expires));
        }
        return added.length;
      });
    },
    async close() {
      database.close();
    },
  };

  function change(id: string, next: (lesson: Lesson) => Lesson | undefined): boolean {
    if (!database.exists()) return false;
    return database.transact((open) => {
      const lesson = find(open, id);
      const changed = lesson && next(lesson);
      if (changed) put(open, changed);
      return changed !== undefined;
    });
  }
}

function migrate(database: DatabaseSync, file: string): void {
  database.exec('PRAGMA secure_delete = ON');
  inTransaction(database, () => {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version > migrations.length)
      throw new StateError(
        `${file} was written by a newer Assay (layout ${version}): upgrade Assay or name another file`,
      );
    for (const migration of migrations.slice(version)) database.exec(migration);
    if (version < migrations.length) database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

/** A full-text expression that asks for any of the terms of the text; nothing when it has none. */
function matchExpression(text: string): string | undefined {
  const terms = [...new Set(termsOf(text))];
  const half = maxQueryTerms / 2;
  const asked = terms.length > maxQueryTerms ? [...terms.slice(0, half), ...terms.slice(-half)] : terms;
  // A term has letters, marks and digits only: there is no quote to escape, and quoting makes AND, OR and NEAR words.
  return asked.length > 0 ? asked.map((term) => `"${term}"`).join(' OR ') : undefined;
}

function search(database: DatabaseSync, query: string, scope: string): Match[] {
  const rows = database
    .prepare(
      `SELECT lessons.*, -bm25(lesson_terms) AS relevance
       FROM lesson_terms JOIN lessons ON lessons.number = lesson_terms.rowid
       WHERE lesson_terms MATCH ? AND lessons.scope = ?`,
    )
    .all(query, scope);
  return rows.map((row) => ({ lesson: lessonOf(row), relevance: Number(row['relevance']) }));
}

function select(database: DatabaseSync, where: string, ...values: (string | number | null)[]): Lesson[] {
  const rows = database.prepare(`SELECT * FROM lessons WHERE ${where} ORDER BY created DESC, id`).all(...values);
  return rows.map(lessonOf);
}

function activeOf(database: DatabaseSync, scope: string): Lesson[] {
  return select(database, "status = 'active' AND scope = ?", scope);
}

function find(database: DatabaseSync, id: string): Lesson | undefined {
  return select(database, 'id = ?', id)[0];
}

/** Writes the lesson, new or changed, and its place in the index. */
function put(database: DatabaseSync, lesson: Lesson): boolean {
  const { id, source, scope, trigger, failurePattern, avoid, created, expires, uses, wins, losses, status } = lesson;
  const row = database
    .prepare(
      `INSERT INTO lessons (id, source, scope, "trigger", failure_pattern, lesson, avoid, created, expires, uses, wins, losses, status)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET "trigger" = excluded."trigger", failure_pattern = excluded.failure_pattern,
         lesson = excluded.lesson, avoid = excluded.avoid, expires = excluded.expires, status = excluded.status
       RETURNING number`,
    )
    .get(
      id,
      source,
      scope,
      trigger,
      failurePattern,
      lesson.lesson,
      avoid,
      created,
      expires,
      uses,
      wins,
      losses,
      status,
    );
  const number = Number(row?.['number']);
  database.prepare('DELETE FROM lesson_terms WHERE rowid = ?').run(number);
  if (status === 'active')
    database.prepare('INSERT INTO lesson_terms (rowid, terms) VALUES (?, ?)').run(number, termsOf(trigger).join(' '));
  return true;
}

function lessonOf(row: Record<string, SQLOutputValue>): Lesson {
  const text = (name: string) => String(row[name]);
  const count = (name: string) => Number(row[name]);
  return {
    id: text('id'),
    source: text('source'),
    scope: text('scope'),
    trigger: text('trigger'),
    failurePattern: text('failure_pattern'),
    lesson: text('lesson'),
    avoid: text('avoid'),
    created: count('created'),
    expires: count('expires'),
    uses: count('uses'),
    wins: count('wins'),
    losses: count('losses'),
    // The table's CHECK allows these three only.
    status: text('status') as Lesson['status'],
  };
}
