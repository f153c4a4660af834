import type { Json } from '../core/json.ts';
import { fencedBlocks } from './fenced-blocks.ts';

export type Row = Readonly<Record<string, Json>>;

/** Rows, and whether their values are texts that may stand for numbers. */
export interface Table {
  rows: Row[];
  typed: boolean;
}

/**
 * The rows of a text: a JSON array of objects, the array at `path` (`data.items`) of a JSON object, or CSV (RFC 4180;
 * the first line has the names, an empty field is null). Taken from a fenced block where there is one. `why` says what
 * it is instead.
 */
export function tableOf(text: string, path?: string): Table | { why: string } {
  const blocks = fencedBlocks(text);
  const block = blocks.find(({ label }) => /^(?:json|csv|tsv)$/.test(label)) ?? blocks[0];
  const source = (block?.code ?? text).trim();
  if (source === '') return { why: 'it is empty' };
  const parsed = jsonOf(source);
  if (parsed.ok) return jsonTable(parsed.value, path);
  if (/^[[{]/.test(source)) return { why: `it is not JSON: ${parsed.why}` };
  return csvTable(source, block?.label === 'tsv' ? '\t' : ',');
}

function jsonOf(text: string): { ok: true; value: Json } | { ok: false; why: string } {
  try {
    // JSON.parse gives nothing but JSON values.
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

function jsonTable(value: Json, path = ''): Table | { why: string } {
  let found: Json | undefined = value;
  for (const key of path.split('.').filter((part) => part !== ''))
    found = isRow(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  if (!Array.isArray(found)) return { why: `there is no list of rows${path ? ` at ${path}` : ''}` };
  const strange = found.findIndex((row) => !isRow(row));
  return strange >= 0 ? { why: `row ${strange + 1} is no object` } : { rows: found.filter(isRow), typed: true };
}

function isRow(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function csvTable(text: string, separator: string): Table | { why: string } {
  const records = csvRecords(text, separator);
  if (!records) return { why: 'a quotation mark of the CSV is not closed' };
  const [names = [], ...rest] = records.filter((record) => record.length > 1 || record[0] !== null);
  const odd = rest.findIndex((record) => record.length !== names.length);
  if (odd >= 0) return { why: `row ${odd + 1} of the CSV has ${rest[odd]?.length} fields, its head ${names.length}` };
  const rows = rest.map((record) =>
    Object.fromEntries(names.map((name, column): [string, Json] => [(name ?? '').trim(), record[column] ?? null])),
  );
  return { rows, typed: false };
}

/** The records of a CSV text; undefined when a quotation mark stays open. */
export function csvRecords(text: string, separator = ','): (string | null)[][] | undefined {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  let index = 0;
  while (index <= text.length) {
    const field = fieldAt(text, index, separator);
    if (!field) return undefined;
    record.push(field.value);
    const end = text.charAt(field.end);
    index = field.end + (text.startsWith('\r\n', field.end) ? 2 : 1);
    if (end === separator) continue;
    // After the last line break there is no record.
    if (index <= text.length || record.length > 1 || record[0] !== null) records.push(record);
    record = [];
  }
  return records;
}

function fieldAt(text: string, start: number, separator: string): { value: string | null; end: number } | undefined {
  if (text.charAt(start) !== '"') {
    let end = start;
    while (end < text.length && ![separator, '\n', '\r'].includes(text.charAt(end))) end += 1;
    const value = text.slice(start, end);
    return { value: value === '' ? null : value, end };
  }
  let value = '';
  let index = start + 1;
  for (; index < text.length; index += 1) {
    if (text.charAt(index) !== '"') value += text.charAt(index);
    else if (text.charAt(index + 1) === '"') {
      value += '"';
      index += 1;
    } else return { value, end: index + 1 };
  }
  return undefined;
}
