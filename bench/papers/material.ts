import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../src/core/errors.ts';

/** What the parts of the bench read: recorded outputs, the tasks they answer, and the figures that were counted from them. */
export interface Material {
  /** The folder with `METRICS.json` and a folder of recorded outputs per paper. */
  readonly traces: string;
  /** The folder with a folder per set of tasks. */
  readonly data: string;
  readonly metrics: Metrics;
}

/** METRICS.json: figures by name, nested as their counters left them. */
export type Metrics = Record<string, z.core.util.JSONType>;

const Metrics: z.ZodType<Metrics> = z.record(z.string(), z.json());
const metricsFile = 'METRICS.json';

export function hasTraces(folder: string): boolean {
  return existsSync(join(folder, metricsFile));
}

/** The first folder named `traces` in a folder beside the project that holds a METRICS.json. */
export function tracesBeside(project: string): string | undefined {
  const beside = join(project, '..');
  return readdirSync(beside)
    .map((name) => join(beside, name, 'traces'))
    .find(hasTraces);
}

/** `data` is looked for beside the traces unless it is named. */
export function materialIn(traces: string, data: string = join(traces, '..', 'data')): Material {
  return { traces, data, metrics: Metrics.parse(JSON.parse(readFileSync(join(traces, metricsFile), 'utf8'))) };
}

/** The rows of a file of one JSON object a line. Throws with the file and the line where one does not fit. */
export function readRows<Row>(file: string, schema: z.ZodType<Row>): Row[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return [];
      try {
        return [schema.parse(JSON.parse(line))];
      } catch (error) {
        throw new Error(`${file}, line ${index + 1}: ${messageOf(error)}`);
      }
    });
}

/** The rows by their `id`. */
export function rowsById<Row extends { id: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

/** The row with the id. Throws where recorded outputs answer a task that is not there. */
export function needed<Row>(rows: ReadonlyMap<string, Row>, id: string): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`recorded outputs answer ${id}, and no task has this id`);
  return row;
}

/** The figure at a path of names. Throws when METRICS.json has no number there: a figure to compare with must not go missing. */
export function metric(metrics: Metrics, ...path: string[]): number {
  return z.number(`${metricsFile} has no number at ${path.join(' / ')}`).parse(metricAt(metrics, path));
}

/** The list of figures at a path. */
export function metricList(metrics: Metrics, ...path: string[]): number[] {
  return z.array(z.number(), `${metricsFile} has no list at ${path.join(' / ')}`).parse(metricAt(metrics, path));
}

/** The names of the figures at a path, in the order of the file. */
export function metricNames(metrics: Metrics, ...path: string[]): string[] {
  const found = metricAt(metrics, path);
  if (!isObject(found)) throw new Error(`${metricsFile} has no figures at ${path.join(' / ')}`);
  return Object.keys(found);
}

function metricAt(metrics: Metrics, path: readonly string[]): z.core.util.JSONType | undefined {
  let at: z.core.util.JSONType | undefined = metrics;
  for (const name of path) at = isObject(at) ? at[name] : undefined;
  return at;
}

function isObject(value: z.core.util.JSONType | undefined): value is { [name: string]: z.core.util.JSONType } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
