import type { Row } from '../../checks/table-text.ts';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';

/** A row of a data file, and its place for messages, such as `tasks.csv, line 3`. */
export interface SourceRow {
  where: string;
  value: Row;
}

/** The row at a place. Throws `UsageError` for what is no object. */
export function rowAt(where: string, value: Json): SourceRow {
  if (isRow(value)) return { where, value };
  throw new UsageError(
    `${where} is no object but ${JSON.stringify(value).slice(0, 60)}. Write each task as an object.`,
  );
}

/** The list of a document: itself, the member that is named, or the only one that holds objects. */
export function listedRows(document: Json, file: string, list: string | undefined): readonly Json[] {
  if (Array.isArray(document) && list === undefined) return document;
  const members = Object.entries(isRow(document) ? document : {}).flatMap(([name, member]) =>
    Array.isArray(member) && member.some(isRow) ? [{ name, member }] : [],
  );
  const fitting = members.filter(({ name }) => list === undefined || name === list);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only.member;
  const names = members.map(({ name }) => name).join(', ') || 'none';
  if (list !== undefined) throw new UsageError(`${file} has no list of objects '${list}'. Lists in it: ${names}.`);
  throw new UsageError(`${file} has to hold one list of objects. Lists in it: ${names}. Name one with \`list\`.`);
}

export function isRow(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
