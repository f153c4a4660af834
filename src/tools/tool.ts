import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import * as z from 'zod';
import type { JsonSchema } from '../core/json.ts';
import type { StepContext } from '../core/step.ts';
import { normaliseOutput } from './normalise.ts';

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
  /** `text` (default): a result that is an HTML page is reduced to its text. `source`: markup is what was asked for. */
  readonly markup: 'text' | 'source';
  run(args: unknown, context: StepContext): Promise<unknown>;
  /** What a call reaches, for rules by host and path. Pure: the same for the same arguments. Default: the hosts of URLs in them. */
  touches?(args: unknown): Touched;
  /** Asked after a crash in the middle of a call: did the effect happen? */
  reconcile?(args: unknown, context: StepContext): Promise<Reconciled>;
  /** Releases what the tool holds (a connection, a process). Called when the agent closes, perhaps more than once. */
  close?(): Promise<void>;
}

/** What a call reaches. `hosts` as `URL` writes them (lower case, ASCII, no port), `paths` absolute and normalised. */
export interface Touched {
  hosts?: readonly string[];
  paths?: readonly string[];
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
  markup?: Tool['markup'];
  run(args: z.output<Schema>, context: StepContext): Promise<unknown> | unknown;
  touches?(args: z.output<Schema>): Touched;
  reconcile?(args: z.output<Schema>, context: StepContext): Promise<Reconciled>;
  close?(): Promise<void>;
}

/** Defines a tool. The argument type is erased behind the schema, so that a list of tools has one type. */
export function tool<Schema extends z.ZodType>(options: ToolOptions<Schema>): Tool {
  const { run, touches, reconcile, ...rest } = options;
  // The executor passes only what `input` has parsed, which is exactly z.output<Schema>.
  const typed = (args: unknown): z.output<Schema> => args as z.output<Schema>;
  return {
    timeoutMs: 30_000,
    retries: 0,
    idempotent: false,
    trust: 'untrusted',
    markup: 'text',
    ...rest,
    run: async (args, context) => await run(typed(args), context),
    ...(touches && { touches: (args: unknown) => touches(typed(args)) }),
    ...(reconcile && { reconcile: async (args: unknown, context: StepContext) => reconcile(typed(args), context) }),
  };
}

const specs = new WeakMap<Tool, LanguageModelV4FunctionTool>();

/** What the model is told of a tool. The same object each time, so that requests stay byte-identical. */
export function toolSpec(described: Tool): LanguageModelV4FunctionTool {
  const known = specs.get(described);
  if (known) return known;
  // What a foreign program says of its tool may hide text that no human sees.
  const made = functionSpec(described.name, normaliseOutput(described.description), described.input);
  specs.set(described, made);
  return made;
}

/** A function tool of the provider specification from a zod schema. */
export function functionSpec(name: string, description: string, input: z.ZodType): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: jsonSchemaOf(input) };
}

const declared = new WeakMap<z.ZodType, JsonSchema>();

/** Makes `jsonSchemaOf` give this for the schema, where zod could not write it by itself. */
export function declareJsonSchema(input: z.ZodType, schema: JsonSchema): void {
  declared.set(input, schema);
}

/** The JSON Schema (draft-7) of what a zod schema accepts. */
export function jsonSchemaOf(schema: z.ZodType): LanguageModelV4FunctionTool['inputSchema'] {
  const given = declared.get(schema);
  // JSON Schemas of other programs are checked by use; zod types its own as another interface for the same draft-7 object.
  if (given) return given as LanguageModelV4FunctionTool['inputSchema'];
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) as LanguageModelV4FunctionTool['inputSchema'];
}
