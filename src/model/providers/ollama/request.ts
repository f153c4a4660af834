import {
  type LanguageModelV4CallOptions,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4Message,
  type LanguageModelV4ToolResultPart,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { Json, JsonSchema } from '../../../core/json.ts';
import { grammarSchema } from '../../wire/grammar-schema.ts';

type Part = Exclude<LanguageModelV4Message['content'], string>[number];

/** What is sent to `/api/chat`, apart from the context size. */
export interface ChatRequest {
  body: Record<string, unknown>;
  /** The reply is one of these tools' calls, held to its schema by the format. */
  forced: boolean;
  warnings: SharedV4Warning[];
}

/** The request for a call. `capabilities` are those of the model, where the server told them. */
export function chatRequest(
  model: string,
  options: LanguageModelV4CallOptions,
  capabilities: readonly string[] | undefined,
): ChatRequest {
  const warnings: SharedV4Warning[] = [];
  const tools = functionTools(options);
  const forced = forcedTools(options, tools);
  const format = forced.length > 0 ? callFormat(forced) : answerFormat(options, tools, warnings);
  const think = thinking(model, { ...options, forced: forced.length > 0, capabilities, warnings });
  return {
    body: {
      model,
      messages: options.prompt.flatMap(messageOf),
      ...(tools.length > 0 && { tools: tools.map(declared) }),
      ...(format !== undefined && { format }),
      ...(think !== undefined && { think }),
      stream: true,
      // Of a server that knows these, a prompt that does not fit is an error, not a shorter prompt.
      truncate: false,
      shift: false,
      options: sampling(options),
    },
    forced: forced.length > 0,
    warnings,
  };
}

function functionTools({ tools, toolChoice }: LanguageModelV4CallOptions): LanguageModelV4FunctionTool[] {
  return toolChoice?.type === 'none' ? [] : (tools ?? []).filter((tool) => tool.type === 'function');
}

function forcedTools(
  { toolChoice }: LanguageModelV4CallOptions,
  tools: LanguageModelV4FunctionTool[],
): LanguageModelV4FunctionTool[] {
  if (toolChoice?.type === 'required') return tools;
  return toolChoice?.type === 'tool' ? tools.filter(({ name }) => name === toolChoice.toolName) : [];
}

/** `/api/chat` knows no tool choice, but holds a reply to a schema: so a call is written as one JSON object. */
function callFormat(tools: LanguageModelV4FunctionTool[]): JsonSchema {
  const calls = tools.map(
    (tool): JsonSchema => ({
      type: 'object',
      properties: { name: { type: 'string', enum: [tool.name] }, arguments: grammarSchema(schemaOf(tool.inputSchema)) },
      required: ['name', 'arguments'],
    }),
  );
  const [only] = calls;
  return calls.length === 1 && only ? only : { anyOf: calls };
}

function answerFormat(
  { responseFormat }: LanguageModelV4CallOptions,
  tools: LanguageModelV4FunctionTool[],
  warnings: SharedV4Warning[],
): Json | undefined {
  if (responseFormat?.type !== 'json') return undefined;
  if (tools.length > 0) {
    const details = 'A reply that is held to a schema could not call a tool, so it is not held to it.';
    warnings.push({ type: 'unsupported', feature: 'responseFormat with tools', details });
    return undefined;
  }
  return responseFormat.schema ? grammarSchema(schemaOf(responseFormat.schema)) : 'json';
}

/** A JSON Schema is plain JSON. */
function schemaOf(schema: LanguageModelV4FunctionTool['inputSchema']): JsonSchema {
  return schema as JsonSchema;
}

function declared({ name, description, inputSchema }: LanguageModelV4FunctionTool): object {
  return { type: 'function', function: { name, description: description ?? '', parameters: inputSchema } };
}

type Thinking = Pick<LanguageModelV4CallOptions, 'reasoning'> & {
  forced: boolean;
  capabilities: readonly string[] | undefined;
  warnings: SharedV4Warning[];
};

function thinking(
  model: string,
  { reasoning, forced, capabilities, warnings }: Thinking,
): boolean | string | undefined {
  const asked = reasoning === 'provider-default' ? undefined : reasoning;
  if (capabilities && !capabilities.includes('thinking')) {
    // The server refuses the setting for these.
    if (asked && asked !== 'none') warnings.push({ type: 'unsupported', feature: 'reasoning' });
    return undefined;
  }
  // A forced call is one JSON object from its first character on.
  if (asked === undefined) return forced && capabilities ? false : undefined;
  return /gpt-oss/.test(model) ? effortOf(asked) : asked !== 'none';
}

/** gpt-oss cannot stop thinking and knows three efforts; of all other models a level is refused. */
function effortOf(asked: NonNullable<LanguageModelV4CallOptions['reasoning']>): string {
  if (asked === 'none' || asked === 'minimal') return 'low';
  return asked === 'xhigh' || asked === 'max' ? 'high' : asked;
}

function sampling(options: LanguageModelV4CallOptions): Record<string, unknown> {
  const given = {
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    seed: options.seed,
    stop: options.stopSequences,
    num_predict: options.maxOutputTokens,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function messageOf(message: LanguageModelV4Message): object[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user': {
      const images = message.content.flatMap((part) => (part.type === 'file' ? [imageOf(part)] : []));
      return [{ role: 'user', content: textOf(message.content), ...(images.length > 0 && { images }) }];
    }
    case 'assistant': {
      const thought = message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
      const calls = message.content.flatMap((part) =>
        part.type === 'tool-call'
          ? [{ id: part.toolCallId, function: { name: part.toolName, arguments: part.input } }]
          : [],
      );
      const spoken = { role: 'assistant', content: textOf(message.content), ...(thought && { thinking: thought }) };
      return [{ ...spoken, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case 'tool':
      return message.content.flatMap((part) => (part.type === 'tool-result' ? [resultOf(part)] : []));
  }
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function imageOf({ mediaType, data }: Extract<Part, { type: 'file' }>): string {
  if (!mediaType.startsWith('image/') || data.type !== 'data') {
    throw new UnsupportedFunctionalityError({ functionality: `${mediaType} as ${data.type} for Ollama` });
  }
  return typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
}

function resultOf({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): object {
  const said =
    output.type === 'execution-denied'
      ? (output.reason ?? 'The call was denied.')
      : typeof output.value === 'string'
        ? output.value
        : JSON.stringify(output.value);
  return { role: 'tool', tool_name: toolName, tool_call_id: toolCallId, content: said };
}
