import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { CallLedger } from './call-ledger.ts';
import { type Answer, type Frames, frame, pieces, usage, type VendorProtocol } from './reply.ts';
import { badName, strictProblem } from './schema-checks.ts';

/** OpenAI's chat completions, which every OpenAI-compatible server speaks. */
export const openAiChat: VendorProtocol = {
  name: 'openai-chat',
  refuse: (body) => toolProblem(body) ?? formatProblem(body) ?? messageProblem(asList(body['messages'])),
  whole: (answer, model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', ...messageOf(answer) }, finish_reason: finishOf(answer) }],
    usage: usageOnWire,
  }),
  frames,
  error: (_status, message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  errorFrame: (message) => frame({ error: { message, type: 'server_error', code: 'overloaded' } }),
};

const usageOnWire = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
};

function toolProblem(body: JsonSchema): string | undefined {
  for (const tool of asList(body['tools'])) {
    const declared = asSchema(asSchema(tool)?.['function']) ?? {};
    const parameters = declared['parameters'];
    const problem =
      badName(declared['name']) ??
      (declared['strict'] === true ? strictProblem(parameters) : undefined) ??
      (asSchema(parameters)?.['type'] === 'object' ? undefined : 'schema must be an object');
    if (problem) return `tools: ${problem}`;
  }
  return undefined;
}

function formatProblem(body: JsonSchema): string | undefined {
  const format = asSchema(asSchema(body['response_format'])?.['json_schema']);
  return format?.['strict'] === true ? strictProblem(format['schema']) : undefined;
}

const unanswered = 'tool_calls must be followed by tool messages responding to each tool_call_id';

function messageProblem(given: Json[]): string | undefined {
  const ledger = new CallLedger();
  const messages = given.map((value) => asSchema(value) ?? {});
  for (const [index, message] of messages.entries()) {
    const problem = oneMessageProblem(message, messages[index - 1]?.['role'], ledger);
    if (problem) return problem;
  }
  return ledger.unanswered && unanswered;
}

function oneMessageProblem(message: JsonSchema, roleBefore: Json | undefined, ledger: CallLedger): string | undefined {
  const { role } = message;
  if (role === 'tool') return ledger.result(String(message['tool_call_id']));
  if (ledger.unanswered) return unanswered;
  // What the chat templates of Mistral and Gemma insist on.
  if (role === 'user' && roleBefore === 'user') return 'conversation roles must alternate';
  const calls = asList(message['tool_calls']).map((call) => asSchema(call) ?? {});
  if (role === 'assistant' && calls.length === 0 && !message['content']) return 'assistant message without content';
  return calls.map((call) => callProblem(call, ledger)).find((problem) => problem !== undefined);
}

function callProblem(call: JsonSchema, ledger: CallLedger): string | undefined {
  const declared = asSchema(call['function']) ?? {};
  return ledger.call(String(call['id'])) ?? badName(declared['name']) ?? argumentsProblem(declared['arguments']);
}

/** The arguments of a call in a history: the text of a JSON object. */
export function argumentsProblem(text: Json | undefined): string | undefined {
  try {
    const parsed: Json = JSON.parse(String(text));
    return asSchema(parsed) ? undefined : 'arguments must be a JSON object';
  } catch {
    return 'arguments must be JSON';
  }
}

function messageOf(answer: Answer): object {
  if (answer.type === 'refusal') return { content: null, refusal: answer.text };
  if (answer.type === 'text') return { content: answer.text };
  if (answer.type === 'content-filter') return { content: '' };
  const calls = answer.calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { content: answer.text ?? null, tool_calls: calls };
}

function finishOf(answer: Answer): string {
  if (answer.type === 'tool-calls') return 'tool_calls';
  return answer.type === 'content-filter' ? 'content_filter' : 'stop';
}

function frames(answer: Answer, model: string): Frames {
  const chunk = (delta: object, finish: string | null = null): string =>
    frame({ id: 'chatcmpl-1', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] });
  const end = [
    chunk({}, finishOf(answer)),
    frame({ id: 'chatcmpl-1', created: 1, model, choices: [], usage: usageOnWire }),
    frame('[DONE]'),
  ];
  const role = chunk({ role: 'assistant', content: '' });
  if (answer.type === 'content-filter') return { content: [role], end };
  if (answer.type === 'refusal')
    return { content: [role, ...pieces(answer.text).map((refusal) => chunk({ refusal }))], end };
  const text = pieces(answer.text ?? '').map((content) => chunk({ content }));
  if (answer.type === 'text') return { content: [role, ...text], end };
  const calls = answer.calls.flatMap(({ id, name, args }, index) =>
    pieces(JSON.stringify(args)).map((piece, at) => {
      const blank = answer.blankDeltaIds
        ? { id: '', function: { name: '', arguments: piece } }
        : { function: { arguments: piece } };
      const call = at === 0 ? { id, type: 'function', function: { name, arguments: piece } } : blank;
      return chunk({ tool_calls: [{ index, ...call }] });
    }),
  );
  return { content: [role, ...(answer.text ? text : []), ...calls], end };
}
