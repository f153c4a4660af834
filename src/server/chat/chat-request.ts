/** A request of OpenAI's chat completions API as a task. What the agent cannot do is refused, never left out in silence. */
import * as z from 'zod';
import type { TaskInput } from '../../agent-options.ts';
import type { JsonSchema } from '../../core/json.ts';
import { ChatError } from './chat-error.ts';
import { conversationTask, type EarlierTurn } from './prompts.ts';
import { ignoredParameters, type SamplingChoice } from './sampling.ts';

/** What a completion is made from. */
export interface ChatRequest {
  task: TaskInput;
  model: string;
  stream: boolean;
  includeUsage: boolean;
  /** The answer has to be JSON, so nothing may be written around it. */
  json: boolean;
  /** The most tokens of the answer that the client wants. */
  maxTokens: number | undefined;
  /** Parameters of the request that have no effect here. */
  ignored: string[];
}

const Part = z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() });
const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(Part)]).nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
  function_call: z.unknown().nullish(),
});
type Message = z.infer<typeof Message>;

const count = z.int().positive().nullish();
const Body = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  n: count,
  max_tokens: count,
  max_completion_tokens: count,
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  response_format: z
    .discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text') }),
      z.looseObject({ type: z.literal('json_object') }),
      z.looseObject({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({ schema: z.record(z.string(), z.json()) }),
      }),
    ])
    .nullish(),
});
type Body = z.infer<typeof Body>;

/** Reads a body of `POST /v1/chat/completions`. Throws `ChatError` for one that cannot be carried out. */
export function readChatRequest(json: unknown, options: { model: string; sampling: SamplingChoice }): ChatRequest {
  const parsed = Body.safeParse(json);
  if (!parsed.success) throw invalid(parsed.error);
  const body = parsed.data;
  if (body.model !== options.model)
    throw new ChatError(`The model '${body.model}' does not exist here. The one to ask is '${options.model}'.`, {
      status: 404,
      param: 'model',
      code: 'model_not_found',
    });
  refuseUnsupported(body);
  const outputSchema = outputSchemaOf(body);
  return {
    task: {
      input: taskOf(body.messages),
      constraints: constraintsOf(body.messages),
      ...(outputSchema && { outputSchema }),
    },
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    json: outputSchema !== undefined,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    ignored: ignoredParameters(body, options.sampling),
  };
}

function invalid(error: z.ZodError): ChatError {
  const [issue] = error.issues;
  const param = issue?.path.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? String(key) : `${path}.${String(key)}`),
    '',
  );
  if (!param) return new ChatError(`The body is not a chat completion request: ${issue?.message ?? 'invalid'}.`);
  return new ChatError(`Invalid value for '${param}': ${issue?.message ?? 'invalid'}.`, { param });
}

function refuseUnsupported(body: Body): void {
  const refuse = (param: string, why: string): never => {
    throw new ChatError(`'${param}' cannot be used: ${why}`, { param, code: 'unsupported_parameter' });
  };
  if ((body.n ?? 1) > 1) refuse('n', 'an agent gives one answer. Ask again for another one.');
  for (const param of ['tools', 'functions']) {
    if (isUsed(body[param]))
      refuse(param, 'the agent has tools of its own and does not call those of its caller. Leave them out.');
  }
  for (const param of ['tool_choice', 'function_call']) {
    if (isUsed(body[param]) && body[param] !== 'none' && body[param] !== 'auto')
      refuse(param, 'there are no tools of the caller to choose from. Leave it out.');
  }
  if (isUsed(body['logprobs']) || isUsed(body['top_logprobs']))
    refuse('logprobs', 'an answer that was checked and revised has no token probabilities.');
  const { modalities } = body;
  if (isUsed(body['audio']) || (Array.isArray(modalities) && modalities.some((one) => one !== 'text')))
    refuse('modalities', 'the agent answers in text.');
  if (isUsed(body['web_search_options']))
    refuse('web_search_options', 'the tools of the agent are chosen by whoever runs it.');
}

function isUsed(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== 0;
}

function outputSchemaOf({ response_format: format }: Body): JsonSchema | undefined {
  if (format?.type === 'json_schema') return format.json_schema.schema;
  return format?.type === 'json_object' ? { type: 'object' } : undefined;
}

function taskOf(messages: readonly Message[]): string {
  const turns = messages.flatMap((message, index): EarlierTurn[] => {
    const content = textOf(message, index);
    return message.role === 'user' || message.role === 'assistant' ? [{ role: message.role, content }] : [];
  });
  const last = turns.pop();
  if (last?.role !== 'user')
    throw new ChatError("The last message has to be the user's: it is the task.", { param: 'messages' });
  if (last.content.trim() === '')
    throw new ChatError('The last message is empty: say what the agent should do.', { param: 'messages' });
  return conversationTask(turns, last.content);
}

/** What the caller lays down for every answer. */
function constraintsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'system' && message.role !== 'developer') return [];
    const text = textOf(message, index).trim();
    return text === '' ? [] : [text];
  });
}

function textOf(message: Message, index: number): string {
  const param = `messages[${index}]`;
  if (
    message.role === 'tool' ||
    message.role === 'function' ||
    isUsed(message.tool_calls) ||
    isUsed(message.function_call)
  )
    throw new ChatError('Calls of tools of the caller cannot be part of the conversation: the agent uses its own.', {
      param,
      code: 'unsupported_value',
    });
  const { content } = message;
  if (typeof content === 'string') return content;
  return (content ?? []).map((part, number) => partText(part, `${param}.content[${number}]`)).join('\n');
}

function partText(part: z.infer<typeof Part>, param: string): string {
  const text = part.type === 'refusal' ? part.refusal : part.type === 'text' ? part.text : undefined;
  if (text !== undefined) return text;
  throw new ChatError(`Invalid content type '${part.type}': the agent reads text. Send parts of the type 'text'.`, {
    param: `${param}.type`,
    code: 'unsupported_value',
  });
}
