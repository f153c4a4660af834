/** A lesson as a row of a table: one layout for both databases. Lists and objects are JSON texts. */
import { Lesson } from '../core/lesson.ts';

const columns = [
  'id',
  'source',
  'scope',
  'trigger',
  'failure_pattern',
  'lesson',
  'avoid',
  'created',
  'expires',
  'checked',
  'uses',
  'wins',
  'losses',
  'status',
  'applies',
  'evidence',
  'conflicts',
  'why',
] as const;

/** The columns, quoted for a statement. */
export const lessonColumns: readonly string[] = columns.map((name) => `"${name}"`);

/** The values of the columns, in their order. */
export function valuesOf(lesson: Lesson): (string | number)[] {
  const { failurePattern, applies, evidence, conflicts, ...plain } = lesson;
  const row: Record<(typeof columns)[number], string | number> = {
    ...plain,
    failure_pattern: failurePattern,
    applies: JSON.stringify(applies),
    evidence: JSON.stringify(evidence),
    conflicts: JSON.stringify(conflicts),
  };
  return columns.map((name) => row[name]);
}

/** The lesson of a row. Throws when the row is none. */
export function lessonOfRow(row: Readonly<Record<string, unknown>>): Lesson {
  const parsed = (name: string): unknown => JSON.parse(String(row[name]));
  return Lesson.parse({
    ...row,
    failurePattern: row['failure_pattern'],
    applies: parsed('applies'),
    evidence: parsed('evidence'),
    conflicts: parsed('conflicts'),
  });
}
