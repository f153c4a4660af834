import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { type Answer, extrasOf, type Frames, type KnownCall, pieces, usage, type VendorProtocol } from './reply.ts';
import { grammarProblem } from './schema-checks.ts';

/** Ollama's own chat: one JSON object a line, streamed unless told otherwise. */
export const ollama: VendorProtocol = {
  refuse: (body) => optionProblem(body) ?? messageProblem(asList(body['messages'])) ?? grammarProblem(body['format']),
  whole: (answer, model) => ({ model, message: { role: 'assistant', ...messageOf(answer) }, ...lastOf(answer) }),
  frames,
  error: (_status, message) => ({ error: message }),
  errorFrame: (message) => line({ error: message }),
  tooLong: () => ({ status: 400, body: { error: 'the input (9000 tokens) exceeds the context length (4096 tokens)' } }),
  streamType: 'application/x-ndjson',
};

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** What the real one ignores, and cuts the prompt silently for, is refused here. */
function optionProblem(body: JsonSchema): string | undefined {
  const context = asSchema(body['options'])?.['num_ctx'];
  if (typeof context !== 'number' || context < 1) return 'options.num_ctx is not set';
  if (body['truncate'] !== false || body['shift'] !== false) return 'truncate and shift must be false';
  return 'tool_choice' in body || 'response_format' in body ? 'unknown field of another API' : undefined;
}

function messageProblem(messages: Json[]): string | undefined {
  for (const message of messages.map((value) => asSchema(value) ?? {})) {
    if (typeof message['content'] !== 'string') return 'json: cannot unmarshal array into field content of type string';
    const calls = asList(message['tool_calls']).map((call) => asSchema(asSchema(call)?.['function']) ?? {});
    if (calls.some((call) => !asSchema(call['arguments']))) return 'arguments must be an object';
    if (message['role'] === 'tool' && typeof message['tool_name'] !== 'string') return 'tool_name is missing';
  }
  return undefined;
}

function messageOf(answer: Answer): object {
  if (answer.type === 'content-filter') return { content: '' };
  const { reasoning } = extrasOf(answer);
  const calls = answer.type === 'tool-calls' ? answer.calls : [];
  return {
    content: answer.text ?? '',
    ...(reasoning !== undefined && { thinking: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
}

function callOf({ id, name, args }: KnownCall): object {
  return { ...(id && { id }), function: { name, arguments: args } };
}

function lastOf(answer: Answer): object {
  const { noUsage, cutOff } = extrasOf(answer);
  const counted = { prompt_eval_count: usage.input, eval_count: usage.output };
  return { done: true, done_reason: cutOff ? 'length' : 'stop', ...(!noUsage && counted) };
}

function frames(answer: Answer, model: string): Frames {
  const part = (message: object): string => line({ model, message: { role: 'assistant', ...message }, done: false });
  const end = [line({ model, message: { role: 'assistant', content: '' }, ...lastOf(answer) })];
  if (answer.type === 'content-filter') return { content: [], end };
  const { reasoning } = extrasOf(answer);
  const thought = (reasoning ? pieces(reasoning) : []).map((thinking) => part({ content: '', thinking }));
  const text = (answer.text ? pieces(answer.text) : []).map((content) => part({ content }));
  const calls = answer.type === 'tool-calls' ? answer.calls : [];
  return {
    content: [...thought, ...text, ...calls.map((call) => part({ content: '', tool_calls: [callOf(call)] }))],
    end,
  };
}
