import { readFile } from 'node:fs/promises';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { redactor } from '../../trace/redact.ts';
import type { FailedRun } from './failed-run.ts';
import { failureOf } from './read/failure-of.ts';
import { isFields, type RowPlace } from './read/fields.ts';

/**
 * The failures of a JSONL file, or of a JSON array, in any of these shapes, mixed as they come: ours (`attempt`, with `task` and
 * `events`); a chat (`messages` with `tool_calls`); a ReAct trace (`question`, `gold`, `answer`, `steps` of thought, action and observation);
 * a note (`task`, `expected`, `answer`, `error`, `trace` as text). Rows that say that they succeeded are left out. What a row
 * does not say is unknown. Secrets are redacted. Throws `UsageError` with the line of a row that cannot be read.
 */
export async function readFailures(path: string): Promise<FailedRun[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `The failures cannot be read: ${messageOf(error)}. Give a JSONL file with one failed run a line.`,
    );
  }
  return parseFailures(text, path);
}

/** The same from the text of such a file; `name` stands in errors. */
export function parseFailures(text: string, name = 'failures'): FailedRun[] {
  const rows = rowsOf(text, name);
  if (rows.length === 0) throw new UsageError(`${name} is empty: give one failed run a line, as JSON.`);
  const { texts } = redactor();
  return rows.flatMap(({ value, place }) => failureOf(texts(value), place) ?? []);
}

interface ReadRow {
  value: { [key: string]: Json };
  place: RowPlace;
}

function rowsOf(text: string, name: string): ReadRow[] {
  const plain = text.replace(/^\ufeff/, '');
  if (/^\s*\[/.test(plain)) {
    const all = parsed(plain, { name, line: 1 });
    if (Array.isArray(all)) return all.map((value, index) => asRow(value, { name, line: index + 1, unit: 'item' }));
  }
  return plain.split(/\r?\n/).flatMap((line, index) => {
    const place = { name, line: index + 1 };
    return line.trim() === '' ? [] : [asRow(parsed(line, place), place)];
  });
}

function asRow(value: Json, place: RowPlace): ReadRow {
  if (isFields(value)) return { value, place };
  throw new UsageError(
    `${placeText(place)}: a failed run is a JSON object, this is ${Array.isArray(value) ? 'a list' : typeof value}.`,
  );
}

function parsed(text: string, place: RowPlace): Json {
  try {
    // What JSON.parse returns is JSON.
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`${placeText(place)}: not JSON (${messageOf(error)}). Write one JSON object a line.`);
  }
}

function placeText({ name, line, unit = 'line' }: RowPlace): string {
  return `${name}, ${unit} ${line}`;
}
