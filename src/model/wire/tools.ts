import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { JsonSchema } from '../../core/json.ts';
import { anthropicSchema } from './anthropic-schema.ts';
import type { Dialect } from './dialect.ts';
import { geminiSchema } from './gemini-schema.ts';
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

export function toolsFor(tools: Tools, dialect: Dialect, cache: ToolCache): WireTools {
  const made: WireTools = { tools: [], originalNames: new Map(), warnings: [] };
  for (const tool of tools) {
    const adapted = tool.type === 'function' ? cachedTool(tool, dialect, cache) : tool;
    if (adapted) made.tools.push(adapted);
    else made.warnings.push(notOffered(tool.name, dialect));
    if (adapted && adapted.name !== tool.name) made.originalNames.set(adapted.name, tool.name);
  }
  return made;
}

function notOffered(name: string, dialect: Dialect): string {
  return (
    `The tool ${JSON.stringify(name)} is not offered to the model: its input schema cannot be told to ` +
    `${vendorNames[dialect]} (it has to be an object whose references can be followed). The other tools are.`
  );
}

function cachedTool(
  tool: LanguageModelV4FunctionTool,
  dialect: Dialect,
  cache: ToolCache,
): LanguageModelV4FunctionTool | undefined {
  const known = cache.get(tool);
  if (known) return known.adapted;
  const adapted = adaptTool(tool, dialect);
  cache.set(tool, { adapted });
  return adapted;
}

const vendorNames: Record<Dialect, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Gemini',
  compatible: 'an OpenAI-compatible server',
};

function adaptTool(tool: LanguageModelV4FunctionTool, dialect: Dialect): LanguageModelV4FunctionTool | undefined {
  const root = objectRoot(jsonOf(tool.inputSchema));
  const adapted = root && adaptToolSchema(root, dialect);
  return adapted && { ...tool, name: wireName(tool.name), ...adapted };
}

function adaptToolSchema(
  root: JsonSchema,
  dialect: Dialect,
): Pick<LanguageModelV4FunctionTool, 'inputSchema' | 'strict'> | undefined {
  if (dialect === 'openai') {
    // Said in either case: a tool that asks to be strict cannot be where its schema does not fit.
    const strict = strictSchema(root);
    return { inputSchema: schemaOf(strict ?? root), strict: strict !== undefined };
  }
  const schema = dialect === 'anthropic' ? anthropicSchema(root) : dialect === 'google' ? geminiSchema(root) : root;
  return schema && { inputSchema: schemaOf(schema) };
}

/** How an answer's schema is sent: `strict` matters to OpenAI alone. No schema means that this one cannot be sent. */
export function answerSchema(given: ToolSchema, dialect: Dialect): { schema: ToolSchema | undefined; strict: boolean } {
  const json = jsonOf(given);
  if (dialect === 'google') {
    const gemini = geminiSchema(json);
    return { schema: gemini && schemaOf(gemini), strict: false };
  }
  if (dialect !== 'openai') return { schema: given, strict: false };
  const root = objectRoot(json);
  const strict = root && strictSchema(root);
  return { schema: root && schemaOf(strict ?? root), strict: strict !== undefined };
}

/** A JSON Schema is plain JSON, which is all that is read of it here. */
function jsonOf(schema: ToolSchema): JsonSchema {
  return schema as JsonSchema;
}

/** What the adapters build is a JSON Schema object; the provider's type only names its keywords. */
function schemaOf(schema: JsonSchema): ToolSchema {
  return schema as ToolSchema;
}
