import * as z from 'zod';
import type { Json } from '../../../src/core/json.ts';
import type { Call, TaskOf } from '../suite.ts';

/** By task number: the arguments that the data gives as an expression over the world, in the order of the calls. */
export type Resolvers<State> = Record<number, (before: State, now: State) => readonly Call['args'][]>;

/** By task number: all calls of a task for which the data has none. */
export type Sequences<State> = Record<number, (before: State, now: State) => readonly Call[]>;

/** A task of a user or an attacker as the data gives it. */
export interface Row {
  id: string;
  task: string;
  expected: { calls: { name: string; args: Call['args'] }[] };
  meta: { suite: string };
}

const Row: z.ZodType<Row> = z.object({
  id: z.string(),
  task: z.string(),
  expected: z.object({ calls: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.json()) })) }),
  meta: z.object({ suite: z.string() }),
});

/** The rows of a file of one JSON object a line. */
export function rowsOf(text: string): Row[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => Row.parse(JSON.parse(line)));
}

/** A row as a task. Throws when its expressions and the resolver do not fit each other. */
export function taskOf<State>(
  row: Row,
  by: { resolvers: Resolvers<State>; sequences?: Sequences<State>; write?(world: State, text: string): string },
): TaskOf<State> {
  const number = Number(/\d+$/.exec(row.id)?.[0]);
  const given = row.expected.calls;
  const computed = given.filter(({ args }) => '_expr' in args).length;
  const sequence = by.sequences?.[number];
  const { id, task: text } = row;
  if (given.length === 0 && sequence) return { id, text, calls: sequence };
  return {
    id,
    text,
    calls(before, now) {
      const resolved = by.resolvers[number]?.(before, now) ?? [];
      if (resolved.length !== computed) {
        throw new Error(`${id} has ${computed} calls to compute, and its resolver gives ${resolved.length}`);
      }
      const next = resolved.values();
      return given.map(({ name, args }) => {
        const worked = '_expr' in args ? next.next().value : args;
        return { tool: name, args: written(worked ?? {}, (said) => by.write?.(before, said) ?? said) };
      });
    },
  };
}

/** Arguments in which the texts that the data leaves open are written out. */
function written(args: Call['args'], write: (text: string) => string): Call['args'] {
  const entries = Object.entries(args).map(([key, value]): [string, Json] => [
    key,
    typeof value === 'string' ? write(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** The calls of a row as a person would dictate them; what is computed stands as the expression. */
export function dictated({ expected }: Row): string {
  const last = expected.calls.length - 1;
  return expected.calls
    .map(({ name, args }, index) => {
      const said = typeof args['_expr'] === 'string' ? args['_expr'] : JSON.stringify(args);
      const start = index === 0 ? 'You should' : index === last ? 'Finally, you should' : 'Then, you should';
      return `${start} use the tool \`${name}\` with the following arguments: ${said}.`;
    })
    .join(' ');
}
