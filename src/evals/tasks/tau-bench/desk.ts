import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { messageOf, UsageError } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { calculator } from '../../../tools/builtin/calculator/calculator.ts';
import { type Tool, tool } from '../../../tools/tool.ts';

/** The tables of a database: records by id. */
export type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A copy of the database and the tools that work on it. */
export interface Desk {
  readonly tools: readonly Tool[];
  readonly tables: Tables;
}

/** What differs from the database as it was: by `table/id` the record as it is now, or null where it is gone. */
export type Changes = Record<string, Json>;

/** Two databases that began alike are equal exactly if their changes are. */
export function changesOf(before: Tables, after: Tables): Changes {
  const changes: Changes = {};
  for (const [name, table] of Object.entries(after)) {
    const old = before[name] ?? {};
    for (const id of new Set([...Object.keys(old), ...Object.keys(table)])) {
      // The database was read from JSON, and tools put nothing into it but their arguments, which are JSON too.
      if (!isDeepStrictEqual(old[id], table[id])) changes[`${name}/${id}`] = structuredClone(table[id] ?? null) as Json;
    }
  }
  return changes;
}

/** A call of the data set, or of a recorded run. */
export type RecordedCall = {
  name: string;
  args: Record<string, Json>;
};

/** What became of a call: the tool's result as it returned it, or why there is none. */
export type Replayed = RecordedCall & ({ result: unknown } | { error: string });

/**
 * Makes the calls in order, past those that fail: some of the data set's own fail by design. A call of a tool that is not there fails
 * too.
 */
export async function replay(tools: readonly Tool[], calls: readonly RecordedCall[]): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for (const call of calls) {
    try {
      replayed.push({ ...call, result: await callOf(tools, call) });
    } catch (error) {
      replayed.push({ ...call, error: error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error) });
    }
  }
  return replayed;
}

async function callOf(tools: readonly Tool[], { name, args }: RecordedCall): Promise<unknown> {
  const called = tools.find((tool) => tool.name === name);
  if (!called)
    throw new UsageError(`There is no tool '${name}'. There are: ${tools.map((tool) => tool.name).join(', ')}.`);
  const context = { idempotencyKey: name, attempt: 1, signal: new AbortController().signal };
  return called.run(called.input.parse(args), context);
}

/** The record with the id. Throws for one that is not there, in words for the agent. */
export function recordOf<Row>(table: Readonly<Record<string, Row>>, id: string, what: string): Row {
  const found = Object.hasOwn(table, id) ? table[id] : undefined;
  if (found === undefined) throw new Error(`there is no ${what} '${id}'`);
  return found;
}

/** The tools that both domains have beside those on their database. */
export function commonTools(): Tool[] {
  return [
    { ...calculator(), name: 'calculate' },
    tool({
      name: 'think',
      description: 'Notes a thought. It looks nothing up and changes nothing.',
      input: z.object({ thought: z.string() }),
      effect: 'read',
      trust: 'trusted',
      run: () => 'Noted.',
    }),
  ];
}
