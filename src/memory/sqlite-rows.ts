/** The statements that read and write lessons in SQLite. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Lesson } from '../core/lesson.ts';
import { lessonColumns, lessonOfRow, valuesOf } from './lesson-row.ts';
import type { Embedding } from './memory.ts';
import { termsOf } from './tokens.ts';

const upsert = `INSERT INTO lessons (${lessonColumns}) VALUES (${lessonColumns.map(() => '?')})
  ON CONFLICT (id) DO UPDATE SET ${lessonColumns.map((name) => `${name} = excluded.${name}`)}
  RETURNING number`;

/** The lessons that the condition is true of, newest first. */
export function selectLessons(database: DatabaseSync, where: string, ...values: SQLInputValue[]): Lesson[] {
  const rows = database
    .prepare(`SELECT ${lessonColumns} FROM lessons WHERE ${where} ORDER BY created DESC, id`)
    .all(...values);
  return rows.map(lessonOfRow);
}

/** Writes the lesson, new or changed, and its place in the index. */
export function putLesson(database: DatabaseSync, lesson: Lesson): void {
  const old = database.prepare('SELECT number, "trigger", status FROM lessons WHERE id = ?').get(lesson.id);
  const indexed = old?.['status'] === 'active' ? old : undefined;
  const active = lesson.status === 'active';
  const number = Number(database.prepare(upsert).get(...valuesOf(lesson))?.['number']);
  if (active && indexed?.['trigger'] === lesson.trigger) return;
  if (indexed) database.prepare('DELETE FROM lesson_terms WHERE rowid = ?').run(number);
  database.prepare('UPDATE lessons SET embedding = NULL, embedding_model = NULL WHERE number = ?').run(number);
  if (!active) return;
  const terms = termsOf(lesson.trigger).join(' ');
  database.prepare('INSERT INTO lesson_terms (rowid, terms) VALUES (?, ?)').run(number, terms);
}

/** Gives an active lesson its embedding. */
export function putEmbedding(database: DatabaseSync, id: string, { model, vector }: Embedding): void {
  const bytes = new Uint8Array(Float32Array.from(vector).buffer);
  database
    .prepare("UPDATE lessons SET embedding = ?, embedding_model = ? WHERE id = ? AND status = 'active'")
    .run(bytes, model, id);
}

/** The embeddings of one model and length of the active lessons of a scope. */
export function embeddingsOf(
  database: DatabaseSync,
  query: { scope: string; model: string; dimension: number },
): { id: string; embedding: Embedding }[] {
  const { scope, model, dimension } = query;
  const rows = database
    .prepare(
      `SELECT id, embedding FROM lessons
       WHERE scope = ? AND status = 'active' AND embedding_model = ? AND length(embedding) = ?`,
    )
    .all(scope, model, dimension * Float32Array.BYTES_PER_ELEMENT);
  return rows.flatMap(({ id, embedding }) =>
    embedding instanceof Uint8Array
      ? [{ id: String(id), embedding: { model, vector: [...new Float32Array(Uint8Array.from(embedding).buffer)] } }]
      : [],
  );
}
