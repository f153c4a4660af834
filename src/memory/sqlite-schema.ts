import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../core/errors.ts';
import { inTransaction } from '../trace/open-database.ts';

const lessonColumns = `
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
     losses INTEGER NOT NULL`;

/** Applied in order; `user_version` counts how many were. */
const migrations: readonly string[] = [
  `CREATE TABLE lessons (${lessonColumns},
     status TEXT NOT NULL CHECK (status IN ('active', 'expired', 'forgotten'))
   ) STRICT;
   CREATE INDEX lessons_by_scope ON lessons (scope, status);
   CREATE TABLE lesson_reports (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
   CREATE VIRTUAL TABLE lesson_terms USING fts5 (terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");`,
  // A lesson that was passed over for its losses is now retired by name.
  `CREATE TABLE lessons_2 (${lessonColumns},
     status TEXT NOT NULL CHECK (status IN ('active', 'retired', 'quarantined', 'expired', 'forgotten')),
     checked REAL NOT NULL,
     applies TEXT NOT NULL,
     evidence TEXT NOT NULL,
     conflicts TEXT NOT NULL,
     why TEXT NOT NULL,
     embedding BLOB,
     embedding_model TEXT
   ) STRICT;
   INSERT INTO lessons_2
     SELECT number, id, source, scope, "trigger", failure_pattern, lesson, avoid, created, expires, uses, wins, losses,
       iif(status = 'active' AND losses >= 3 AND losses > 2 * wins, 'retired', status),
       created, '{}', json_array(json_object('run', source, 'says', 'supports')), '[]', 'new', NULL, NULL
     FROM lessons;
   DELETE FROM lesson_terms WHERE rowid IN (SELECT number FROM lessons_2 WHERE status <> 'active');
   DROP TABLE lessons;
   ALTER TABLE lessons_2 RENAME TO lessons;
   CREATE INDEX lessons_by_scope ON lessons (scope, status);
   INSERT INTO lesson_terms (lesson_terms, rank) VALUES ('secure-delete', 1);
   INSERT INTO lesson_terms (lesson_terms) VALUES ('rebuild');`,
];

/** Brings the file to the newest layout. What is deleted or overwritten in it is from now on wiped. */
export function prepareLessons(database: DatabaseSync, file: string): void {
  database.exec('PRAGMA secure_delete = ON');
  inTransaction(database, () => {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version > migrations.length) {
      throw new StateError(
        `${file} was written by a newer Assay (layout ${version}): upgrade Assay or name another file`,
      );
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    if (version < migrations.length) database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}
