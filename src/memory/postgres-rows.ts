/** The statements that read and write lessons in PostgreSQL. */
import type { ClientBase } from 'pg';
import type { Lesson, LessonStatus } from '../core/lesson.ts';
import type { Wanted } from './governed-lessons.ts';
import { lessonColumns, lessonOfRow, valuesOf } from './lesson-row.ts';
import type { Embedding } from './memory.ts';
import { termsOf } from './tokens.ts';

/** Where the statements run: a connection, and the schema of the tables. */
export interface Place {
  client: ClientBase;
  schema: string;
}

const newestFirst = 'ORDER BY created DESC, id COLLATE "C"';
/** In UTF-16 units; PostgreSQL takes lexemes of less than 2048 bytes. */
const longestLexeme = 500;

/** PostgreSQL keeps no NUL in a text. The same replacement is made in what is written and in what is asked. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd');
}

/** The lessons with one of the ids, and the active and retired ones of the scopes. */
export async function wantedLessons({ client, schema }: Place, { ids = [], scopes = [] }: Wanted): Promise<Lesson[]> {
  const found = await client.query(
    `SELECT ${lessonColumns} FROM ${schema}.lessons 
     WHERE id = ANY ($1) OR status IN ('active', 'retired') AND scope = ANY ($2) ${newestFirst}`,
    [ids.map(storable), scopes.map(storable)],
  );
  return found.rows.map(lessonOfRow);
}

/** The lessons of a scope and a status, or all. */
export async function listLessons(
  { client, schema }: Place,
  { scope, status }: { scope?: string; status?: LessonStatus },
): Promise<Lesson[]> {
  const found = await client.query(
    `SELECT ${lessonColumns} FROM ${schema}.lessons
     WHERE ($1::text IS NULL OR scope = $1) AND ($2::text IS NULL OR status = $2) ${newestFirst}`,
    [scope === undefined ? null : storable(scope), status ?? null],
  );
  return found.rows.map(lessonOfRow);
}

/** Writes the lesson, new or changed, and what it is found by. An embedding stays with the trigger it was made of. */
export async function putLesson({ client, schema }: Place, lesson: Lesson): Promise<void> {
  const terms =
    lesson.status === 'active' ? termsOf(lesson.trigger).filter((term) => term.length <= longestLexeme) : [];
  const values = valuesOf(lesson).map((value) => (typeof value === 'string' ? storable(value) : value));
  const places = values.map((_, index) => `$${index + 1}`);
  const kept = `CASE WHEN excluded.status = 'active' AND old."trigger" = excluded."trigger" THEN old`;
  await client.query(
    `INSERT INTO ${schema}.lessons AS old (${lessonColumns}, terms)
     VALUES (${places}, array_to_tsvector($${values.length + 1}::text[]))
     ON CONFLICT (id) DO UPDATE SET ${lessonColumns.map((name) => `${name} = excluded.${name}`)}, terms = excluded.terms,
       embedding = ${kept}.embedding END, embedding_model = ${kept}.embedding_model END`,
    [...values, terms],
  );
}

/** Gives an active lesson its embedding. */
export async function putEmbedding(
  { client, schema }: Place,
  { id, embedding }: { id: string; embedding: Embedding },
): Promise<void> {
  await client.query(
    `UPDATE ${schema}.lessons SET embedding = $2, embedding_model = $3 WHERE id = $1 AND status = 'active'`,
    [storable(id), embedding.vector, storable(embedding.model)],
  );
}
