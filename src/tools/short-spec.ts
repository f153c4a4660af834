/** What a model with little room is told of a tool: one line, and of its parameters the names and types. */
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { Json, JsonSchema } from '../core/json.ts';
import { describeShape } from './describe-shape.ts';
import { excerpt } from './excerpt.ts';
import { SchemaShapes } from './schema-shapes.ts';

type ToolSchema = LanguageModelV4FunctionTool['inputSchema'];

/** Longer first sentences are cut. */
const descriptionCharacters = 130;

/** A tool whose description is its first sentence and whose schema has no words and no limits: the tool's own schema still decides. */
export function shortSpec({
  name,
  description,
  inputSchema,
}: LanguageModelV4FunctionTool): LanguageModelV4FunctionTool {
  const line = firstSentence(description ?? '');
  return { type: 'function', name, ...(line !== '' && { description: line }), inputSchema: shortSchema(inputSchema) };
}

/** A tool in one line: `- search { query: string, limit?: integer }: Searches the local documents.` */
export function toolLine({ name, description, inputSchema }: LanguageModelV4FunctionTool): string {
  const line = firstSentence(description ?? '');
  return `- ${name} ${shapeText(inputSchema)}${line === '' ? '' : `: ${line}`}`;
}

/** What a schema asks for, in one line; forms inside of forms are named to the depth, and a foreign schema may have many of them. */
export function shapeText(schema: ToolSchema, deepest?: number): string {
  return describeShape(new SchemaShapes(jsonOf(schema)), deepest);
}

function firstSentence(text: string): string {
  const [line = ''] = text.trim().split('\n');
  const end = /[.!?](?=\s+\p{Lu}|$)|[。！？]/u.exec(line);
  const sentence = end ? line.slice(0, end.index + 1) : line;
  return excerpt(sentence, { max: descriptionCharacters }).text.trim();
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const schemaKeywords = ['items', 'additionalProperties'] as const;
const listKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'] as const;
const mapKeywords = ['properties', '$defs', 'definitions'] as const;
/** An empty list where one was asked for cannot be mended in the turn it costs. */
const keptKeywords = ['type', 'enum', 'const', 'required', 'minItems', '$ref'] as const;

/** The schema with its structure alone. It accepts all that the schema accepts. */
export function shortSchema(schema: ToolSchema): ToolSchema {
  // What is built of a JSON Schema by leaving keywords out is one.
  return structureOf(jsonOf(schema)) as ToolSchema;
}

function structureOf(schema: JsonSchema): JsonSchema {
  const short: JsonSchema = {};
  for (const keyword of keptKeywords) if (schema[keyword] !== undefined) short[keyword] = schema[keyword];
  for (const keyword of schemaKeywords) {
    const inner = schema[keyword];
    // `false` is what it is without the word, for who writes by the schema.
    if (isObject(inner)) short[keyword] = structureOf(inner);
    else if (inner === true) short[keyword] = true;
  }
  for (const keyword of listKeywords) {
    const list = schema[keyword];
    if (Array.isArray(list)) short[keyword] = list.map(structureOrSelf);
  }
  for (const keyword of mapKeywords) {
    const map = schema[keyword];
    if (isObject(map))
      short[keyword] = Object.fromEntries(Object.entries(map).map(([name, inner]) => [name, structureOrSelf(inner)]));
  }
  return short;
}

function structureOrSelf(value: Json): Json {
  return isObject(value) ? structureOf(value) : value;
}

function isObject(value: Json | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON Schema is plain JSON, which is all that is read of it here. */
function jsonOf(schema: ToolSchema): JsonSchema {
  return schema as JsonSchema;
}
