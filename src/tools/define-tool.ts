import * as z from 'zod';
import { messageOf, UsageError } from '../core/errors.ts';
import type { JsonSchema } from '../core/json.ts';
import type { StepContext } from '../core/step.ts';
import { jsonSchemaInput } from './json-schema-input.ts';
import { type Effect, jsonSchemaOf, type Tool, tool } from './tool.ts';

/**
 * A tool of the AI SDK (`tool()`, `dynamicTool()`; version 6 and 7), by its shape: the package `ai` is not needed. Input types are
 * `never` here, so that a tool of any input fits.
 */
export interface ForeignTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  /** A zod 4 schema, a standard schema that gives its JSON Schema, what `jsonSchema()` makes, or a function that gives one of these. */
  readonly inputSchema?: unknown;
  readonly needsApproval?: boolean | ((input: never, options: never) => unknown) | undefined;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
}

/** What the AI SDK does not say of its tools. The other settings are those of `tool`. */
export interface DefineToolOptions {
  /**
   * What a call does. Default `irreversible`, which asks every time: a foreign tool does not say what it does, and a wrong guess
   * would run an effect unasked. A tool with `needsApproval` is at least a `write`.
   */
  effect?: Effect;
  /** In the place of the tool's own, or where it has none. */
  description?: string;
  timeoutMs?: number;
  retries?: number;
  idempotent?: boolean;
  trust?: Tool['trust'];
  markup?: Tool['markup'];
  /** Given to `execute` (and to a `description` that is a function) as `context`. */
  context?: unknown;
  touches?: Tool['touches'];
  reconcile?: Tool['reconcile'];
  close?: Tool['close'];
}

/**
 * A tool of the AI SDK as a tool of this library. `execute` gets the idempotency key as `toolCallId`, the signal as `abortSignal` and no
 * messages; of a stream of results the last one counts; `toModelOutput` is applied, and files in it are named, not sent. Throws
 * `UsageError` for a tool without `execute` and for a schema that cannot be shown as JSON Schema.
 */
export function defineTool(name: string, foreign: ForeignTool, options: DefineToolOptions = {}): Tool {
  const { execute } = foreign;
  if (!execute) {
    const why = foreign.type?.startsWith('provider') ? 'its provider runs it' : 'it has no `execute`';
    throw new UsageError(`defineTool: '${name}' cannot be run here: ${why}. Give a tool with \`execute\`.`);
  }
  const { effect = 'irreversible', description, context, touches, reconcile, close, ...settings } = options;
  const { input, validate } = schemaOf(name, foreign.inputSchema);
  return tool({
    ...settings,
    name,
    description: description ?? descriptionOf(foreign, context) ?? name,
    input,
    effect: effect === 'read' && foreign.needsApproval ? 'write' : effect,
    run: async (args, step) => {
      const value = await validate(args);
      const call = { toolCallId: step.idempotencyKey, messages: [], abortSignal: step.signal, context };
      // The schema has accepted the value, and the tool's author has tied the schema to the type of `execute`.
      const output = await lastOf(await execute.call(foreign, value as never, call as never), step);
      return await modelOutput(foreign, { toolCallId: step.idempotencyKey, input: value, output });
    },
    ...(touches && { touches: (args: unknown) => touches(args) }),
    ...(reconcile && { reconcile: (args: unknown, step: StepContext) => reconcile(args, step) }),
    ...(close && { close: () => close() }),
  });
}

/** All tools of an AI SDK `ToolSet`, each with options of its own. Throws `UsageError` for options of a tool that is not there. */
export function defineTools<Tools extends Readonly<Record<string, ForeignTool>>>(
  tools: Tools,
  options: { readonly [Name in keyof Tools]?: DefineToolOptions } = {},
): Tool[] {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(tools, name));
  if (unknown !== undefined) {
    throw new UsageError(
      `defineTools: there are options for '${unknown}', but no such tool: ${Object.keys(tools).join(', ')}`,
    );
  }
  return Object.entries(tools).map(([name, foreign]) =>
    defineTool(name, foreign, Object.hasOwn(options, name) ? options[name] : {}),
  );
}

function descriptionOf({ description, title }: ForeignTool, context: unknown): string | undefined {
  // It asks for the context its author gave a type to.
  return typeof description === 'function' ? description({ context } as never) : (description ?? title);
}

interface ForeignSchema {
  input: z.ZodType;
  /** The schema's own verdict, where JSON Schema does not say it all. */
  validate(args: unknown): unknown;
}

const asItIs = (args: unknown): unknown => args;

function schemaOf(name: string, schema: unknown): ForeignSchema {
  try {
    return readSchema(schema);
  } catch (error) {
    throw new UsageError(`defineTool: the inputSchema of '${name}' cannot be used: ${messageOf(error)}`);
  }
}

function readSchema(schema: unknown): ForeignSchema {
  if (schema === undefined || schema === null) return { input: z.strictObject({}), validate: asItIs };
  if (isZod(schema)) {
    // Throws for what has no JSON Schema, such as z.date().
    jsonSchemaOf(schema);
    return { input: schema, validate: asItIs };
  }
  if (typeof schema === 'function' && !('~standard' in schema)) return readSchema(schema());
  if (isObject(schema) && '~standard' in schema) return readStandard(schema['~standard']);
  if (isObject(schema) && 'jsonSchema' in schema) return readWrapped(schema);
  throw new Error('it is neither a zod schema, a standard schema, nor made by jsonSchema()');
}

/** What `jsonSchema()`, `zodSchema()` and their like make. */
function readWrapped(schema: Record<string, unknown>): ForeignSchema {
  const { jsonSchema, validate } = schema;
  return {
    input: jsonSchemaInput(plainSchema(jsonSchema)),
    validate: async (args) => {
      const verdict: unknown =
        typeof validate === 'function' ? await Reflect.apply(validate, schema, [args]) : undefined;
      if (!isObject(verdict)) return args;
      if (verdict['success'] === true) return verdict['value'];
      throw new Error(`the arguments do not fit: ${messageOf(verdict['error'])}`);
    },
  };
}

/** https://standardschema.dev, with its extension for JSON Schema. */
function readStandard(standard: unknown): ForeignSchema {
  const { vendor, validate, jsonSchema } = isObject(standard) ? standard : {};
  const convert = isObject(jsonSchema) ? jsonSchema['input'] : undefined;
  if (typeof convert !== 'function' || typeof validate !== 'function') {
    throw new Error(
      `a schema of ${String(vendor)} gives no JSON Schema here: use zod 4, or jsonSchema() of the AI SDK`,
    );
  }
  return {
    input: jsonSchemaInput(plainSchema(Reflect.apply(convert, jsonSchema, [{ target: 'draft-07' }]))),
    validate: async (args) => {
      const verdict: unknown = await Reflect.apply(validate, standard, [args]);
      if (!isObject(verdict) || verdict['issues'] === undefined) return isObject(verdict) ? verdict['value'] : args;
      throw new Error(`the arguments do not fit: ${[verdict['issues']].flat().map(issueText).join('; ')}`);
    },
  };
}

function issueText(issue: unknown): string {
  return isObject(issue) ? String(issue['message']) : String(issue);
}

function plainSchema(schema: unknown): JsonSchema {
  if (isObject(schema) && typeof schema['then'] === 'function') {
    throw new Error('its JSON Schema is a promise: await it before, and give jsonSchema() the result');
  }
  if (!isObject(schema)) throw new Error('its JSON Schema is no object');
  // Through text, so that it is JSON and nobody changes it later.
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}

function isZod(schema: unknown): schema is z.ZodType {
  return isObject(schema) && '_zod' in schema && typeof schema['safeParse'] === 'function';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

async function lastOf(output: unknown, { signal }: StepContext): Promise<unknown> {
  if (!isAsyncIterable(output)) return output;
  let last: unknown;
  for await (const value of output) {
    signal.throwIfAborted();
    last = value;
  }
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value;
}

interface Answered {
  toolCallId: string;
  input: unknown;
  output: unknown;
}

async function modelOutput(foreign: ForeignTool, answered: Answered): Promise<unknown> {
  if (!foreign.toModelOutput) return answered.output;
  // Its author has tied its input to that of `execute`.
  const output: unknown = await foreign.toModelOutput(answered as never);
  if (!isObject(output)) return output;
  const { type, value, reason } = output;
  switch (type) {
    case 'text':
    case 'json':
      return value;
    case 'content':
      return [value].flat().map(partText).join('\n');
    case 'error-text':
    case 'error-json':
      throw new Error(typeof value === 'string' ? value : JSON.stringify(value));
    case 'execution-denied':
      throw new Error(
        typeof reason === 'string' ? `the tool refused the call: ${reason}` : 'the tool refused the call',
      );
    default:
      return output;
  }
}

function partText(part: unknown): string {
  if (!isObject(part)) return String(part);
  if (part['type'] === 'text') return String(part['text']);
  const inner = isObject(part['data']) ? part['data'] : {};
  if (inner['type'] === 'text') return String(inner['text']);
  const named = [part['filename'], part['mediaType'], part['url'] ?? inner['url']].filter((word) => word !== undefined);
  return `[${[part['type'], ...named].map(String).join(', ')}]`;
}
