import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import * as z from 'zod';
import type { StepContext } from '../core/step.ts';

/** `read` has no effect and always runs; `write` asks; `irreversible` asks and shows its canonical arguments. */
export type Effect = 'read' | 'write' | 'irreversible';

/** What a tool knows about an interrupted call of its own. */
export type Reconciled =
  | { happened: true; result: unknown }
  | { happened: false }
  | { happened: 'unknown'; detail: string };

/**
 * Something the agent can do. The executor validates `args` by `input` before `run` sees them, gives every call exactly one
 * result, and treats what `run` returns as data, never as instruction. `run` may return a string or any JSON value.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly effect: Effect;
  /** After this the signal aborts and the call counts as `timeout`. Default 30,000. */
  readonly timeoutMs: number;
  /** Extra executions after an error; only for `read` or `idempotent` tools. Default 0. */
  readonly retries: number;
  /** Running it twice with the same idempotency key is the same as once. */
  readonly idempotent: boolean;
  /** Whether its output may have been written by a stranger. Default `untrusted`. */
  readonly trust: 'trusted' | 'untrusted';
  run(args: unknown, context: StepContext): Promise<unknown>;
  /** Asked after a crash in the middle of a call: did the effect happen? */
  reconcile?(args: unknown, context: StepContext): Promise<Reconciled>;
}

/** The options of `tool`: the argument type follows from `input`. */
export interface ToolOptions<Schema extends z.ZodType> {
  name: string;
  description: string;
  input: Schema;
  effect: Effect;
  timeoutMs?: number;
  retries?: number;
  idempotent?: boolean;
  trust?: Tool['trust'];
  run(args: z.output<Schema>, context: StepContext): Promise<unknown> | unknown;
  reconcile?(args: z.output<Schema>, context: StepContext): Promise<Reconciled>;
}

/** Defines a tool. The argument type is erased behind the schema, so that a list of tools has one type. */
export function tool<Schema extends z.ZodType>(options: ToolOptions<Schema>): Tool {
  const { run, reconcile, ...rest } = options;
  // The executor passes only what `input` has parsed, which is exactly z.output<Schema>.
  const typed = (args: unknown): z.output<Schema> => args as z.output<Schema>;
  return {
    timeoutMs: 30_000,
    retries: 0,
    idempotent: false,
    trust: 'untrusted',
    ...rest,
    run: async (args, context) => await run(typed(args), context),
    ...(reconcile && { reconcile: async (args: unknown, context: StepContext) => reconcile(typed(args), context) }),
  };
}

const specs = new WeakMap<Tool, LanguageModelV4FunctionTool>();

/** What the model is told of a tool. The same object each time, so that requests stay byte-identical. */
export function toolSpec(described: Tool): LanguageModelV4FunctionTool {
  const known = specs.get(described);
  if (known) return known;
  const made = functionSpec(described.name, described.description, described.input);
  specs.set(described, made);
  return made;
}

/** A function tool of the provider specification from a zod schema. */
export function functionSpec(name: string, description: string, input: z.ZodType): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: jsonSchemaOf(input) };
}

/** The JSON Schema (draft-7) of what a zod schema accepts. */
export function jsonSchemaOf(schema: z.ZodType): LanguageModelV4FunctionTool['inputSchema'] {
  // zod types the result as its own JSONSchema; it is a draft-7 object.
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) as LanguageModelV4FunctionTool['inputSchema'];
}
