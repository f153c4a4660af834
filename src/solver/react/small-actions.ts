/** The JSON actions of a small model, as a schema that a server can hold its reply to. */
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { Json, JsonSchema } from '../../core/json.ts';
import type { ModelRequest } from '../../model/model.ts';
import { finalName } from './control.ts';

type JsonFormat = Extract<NonNullable<ModelRequest['responseFormat']>, { type: 'json' }>;

/** The reason comes first: it is all that the model can think before it acts. */
export const smallToolExample = '{"reason":"a few words","type":"tool","tool":"NAME","args":{}}';

/** A model that has begun to repeat itself is stopped by the schema. */
const reasonCharacters = 200;

const formats = new WeakMap<readonly LanguageModelV4FunctionTool[], { action: JsonFormat; final: JsonFormat }>();

/** The formats for one list of tools, `final` among them: any action, and the last one. The same objects each turn. */
export function smallFormats(tools: readonly LanguageModelV4FunctionTool[]): { action: JsonFormat; final: JsonFormat } {
  const known = formats.get(tools);
  if (known) return known;
  const end = finalAction(tools);
  const calls = tools.filter(({ name }) => name !== finalName).map(toolAction);
  const made = { action: format('action', { anyOf: [...calls, end] }), final: format('final', end) };
  formats.set(tools, made);
  return made;
}

function format(name: string, schema: JsonSchema): JsonFormat {
  // Built here of the keywords of draft-7.
  return { type: 'json', name, schema: schema as NonNullable<JsonFormat['schema']> };
}

function toolAction({ name, inputSchema }: LanguageModelV4FunctionTool): JsonSchema {
  return closed({
    reason: { type: 'string', maxLength: reasonCharacters },
    type: { const: 'tool' },
    tool: { const: name },
    args: argumentsOf(inputSchema as JsonSchema),
  });
}

/** References point into the tool's own schema, of which this is only a part now: then any object will do, and code validates it. */
function argumentsOf(schema: JsonSchema): JsonSchema {
  return JSON.stringify(schema).includes('"$ref"') ? { type: 'object' } : schema;
}

function finalAction(tools: readonly LanguageModelV4FunctionTool[]): JsonSchema {
  // A JSON Schema of ours: an object with properties.
  const schema = (tools.find(({ name }) => name === finalName)?.inputSchema ?? {}) as JsonSchema;
  return closed({ type: { const: finalName }, ...Object(schema['properties']) });
}

function closed(properties: { [name: string]: Json }): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
