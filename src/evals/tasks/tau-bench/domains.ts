import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, UsageError } from '../../../core/errors.ts';
import { jsonLines } from '../json-rows.ts';
import { AirlineDatabase } from './airline-database.ts';
import { airlineDesk } from './airline-desk.ts';
import type { Desk, RecordedCall, Tables } from './desk.ts';
import { RetailDatabase } from './retail-database.ts';
import { retailDesk } from './retail-desk.ts';

/** The domains of tau-bench. */
export type Domain = 'airline' | 'retail';

/** A task as the data gives it. */
export interface Row {
  id: string;
  /** The hidden instruction of the customer. */
  task: string;
  expected: { actions: RecordedCall[]; outputs: string[] };
}

const Row: z.ZodType<Row> = z.object({
  id: z.string(),
  task: z.string(),
  expected: z.object({
    actions: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.json()) })),
    outputs: z.array(z.string()),
  }),
});

/** The data of a domain. */
export interface DomainData {
  rows: readonly Row[];
  policy: string;
  /** The text of the database. */
  database: string;
  tables: Tables;
  /** A fresh copy of the database with its tools. */
  open(): Desk;
}

/**
 * Reads `taubench_airline.jsonl` or `taubench_retail.jsonl`, `db.json` and `policy.md` of a folder. Throws `UsageError` for a file that
 * is not there or does not fit, with the line.
 */
export function readDomain(folder: string, domain: Domain): DomainData {
  const file = join(folder, `taubench_${domain}.jsonl`);
  const rows = jsonLines(read(file), file).map(({ where, value }) => fitted(Row, value, where));
  const databaseFile = join(folder, 'db.json');
  const database = read(databaseFile);
  return { rows, policy: read(join(folder, 'policy.md')), database, ...opener(domain, database, databaseFile) };
}

function opener(domain: Domain, text: string, file: string): Pick<DomainData, 'tables' | 'open'> {
  if (domain === 'airline') {
    const tables = fitted(AirlineDatabase, parsed(text, file), file);
    return { tables, open: () => airlineDesk(structuredClone(tables)) };
  }
  const tables = fitted(RetailDatabase, parsed(text, file), file);
  return { tables, open: () => retailDesk(structuredClone(tables)) };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `tau-bench: ${file} cannot be read (${messageOf(error)}). Name a folder with taubench_DOMAIN.jsonl, db.json and policy.md.`,
    );
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`tau-bench: ${file} is no JSON: ${messageOf(error)}. Take it from the data set again.`);
  }
}

function fitted<Value>(schema: z.ZodType<Value>, value: unknown, where: string): Value {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new UsageError(`tau-bench: ${where} is not in the shape of the data set: ${z.prettifyError(read.error)}`);
}
