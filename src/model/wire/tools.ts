import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { JsonSchema } from '../../core/json.ts';
import type { Abilities, ToolSchemas } from './abilities.ts';
import { anthropicSchema } from './anthropic-schema.ts';
import { geminiSchema } from './gemini-schema.ts';
import { grammarSchema } from './grammar-schema.ts';
import { wireName } from './names.ts';
import { objectRoot } from './object-root.ts';
import { strictSchema } from './strict-schema.ts';

type Tools = NonNullable<LanguageModelV4CallOptions['tools']>;
type ToolSchema = LanguageModelV4FunctionTool['inputSchema'];

/** The tools of a request as a vendor accepts them. */
export interface WireTools {
  tools: Tools;
  /** Names on the wire that differ, and whose they are. */
  originalNames: Map<string, string>;
  /** One sentence for each tool that was left out. */
  warnings: string[];
}

/** Remembers what a tool became, or that it cannot be offered. Tool specs are the same objects in every request. */
export type ToolCache = WeakMap<LanguageModelV4FunctionTool, { adapted: LanguageModelV4FunctionTool | undefined }>;

export function toolsFor(tools: Tools, abilities: Abilities, cache: ToolCache): WireTools {
  const made: WireTools = { tools: [], originalNames: new Map(), warnings: [] };
  for (const tool of tools) {
    const adapted = tool.type === 'function' ? cachedTool(tool, abilities.tools, cache) : tool;
    if (adapted) made.tools.push(adapted);
    else made.warnings.push(notOffered(tool.name, abilities.vendor));
    if (adapted && adapted.name !== tool.name) made.originalNames.set(adapted.name, tool.name);
  }
  return made;
}

function notOffered(name: string, vendor: string): string {
  return (
    `The tool ${JSON.stringify(name)} is not offered to the model: its input schema cannot be told to ` +
    `${vendor} (it has to be an object whose references can be followed). The other tools are.`
  );
}

function cachedTool(
  tool: LanguageModelV4FunctionTool,
  schemas: ToolSchemas,
  cache: ToolCache,
): LanguageModelV4FunctionTool | undefined {
  const known = cache.get(tool);
  if (known) return known.adapted;
  const adapted = adaptTool(tool, schemas);
  cache.set(tool, { adapted });
  return adapted;
}

function adaptTool(tool: LanguageModelV4FunctionTool, schemas: ToolSchemas): LanguageModelV4FunctionTool | undefined {
  const root = objectRoot(jsonOf(tool.inputSchema));
  const adapted = root && adaptToolSchema(root, schemas);
  return adapted && { ...tool, name: wireName(tool.name), ...adapted };
}

function adaptToolSchema(
  root: JsonSchema,
  schemas: ToolSchemas,
): Pick<LanguageModelV4FunctionTool, 'inputSchema' | 'strict'> | undefined {
  if (schemas === 'strict') {
    // Said in either case: a tool that asks to be strict cannot be where its schema does not fit.
    const strict = strictSchema(root);
    return { inputSchema: schemaOf(strict ?? root), strict: strict !== undefined };
  }
  const schema = dialects[schemas](root);
  return schema && { inputSchema: schemaOf(schema) };
}

const dialects: Record<Exclude<ToolSchemas, 'strict'>, (root: JsonSchema) => JsonSchema | undefined> = {
  plain: (root) => root,
  anthropic: anthropicSchema,
  gemini: geminiSchema,
  grammar: grammarSchema,
  bare: bareRoot,
};

/** Nova knows no other keywords at the root. */
function bareRoot(root: JsonSchema): JsonSchema {
  const kept = ['type', 'properties', 'required', '$defs', 'definitions'];
  return Object.fromEntries(Object.entries(root).filter(([keyword]) => kept.includes(keyword)));
}

export interface AnswerSchema {
  /** Undefined where this one cannot be sent. */
  schema: ToolSchema | undefined;
  /** Whether it is in the strict dialect, for vendors that ask. */
  strict: boolean;
  /** Without a schema the vendor is still asked for JSON; else for free text. */
  json: boolean;
}

/** How an answer's schema is sent. */
export function answerSchema(given: ToolSchema, { answer }: Abilities): AnswerSchema {
  const json = jsonOf(given);
  switch (answer) {
    case 'schema':
    case 'json-object':
      return { schema: given, strict: false, json: true };
    case 'grammar':
      return { schema: schemaOf(grammarSchema(json)), strict: false, json: true };
    case 'gemini': {
      const gemini = geminiSchema(json);
      return { schema: gemini && schemaOf(gemini), strict: false, json: false };
    }
    case 'bare': {
      const root = objectRoot(json);
      return { schema: root && schemaOf(bareRoot(root)), strict: false, json: false };
    }
    case 'strict':
    case 'strict-only': {
      const root = objectRoot(json);
      const strict = root && strictSchema(root);
      const sent = strict ?? (answer === 'strict' ? root : undefined);
      return { schema: sent && schemaOf(sent), strict: strict !== undefined, json: answer === 'strict-only' };
    }
  }
}

/** A JSON Schema is plain JSON, which is all that is read of it here. */
function jsonOf(schema: ToolSchema): JsonSchema {
  return schema as JsonSchema;
}

/** What the adapters build is a JSON Schema object; the provider's type only names its keywords. */
function schemaOf(schema: JsonSchema): ToolSchema {
  return schema as ToolSchema;
}
