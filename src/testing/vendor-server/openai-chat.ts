import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { CallLedger } from './call-ledger.ts';
import { type Answer, argsText, extrasOf, type Frames, frame, pieces, usage, type VendorProtocol } from './reply.ts';
import { badName, strictProblem } from './schema-checks.ts';

/** In which a server of chat completions differs from OpenAI's. */
export interface ChatFlavour {
  /** What it refuses beyond what all refuse. */
  refuse?(body: JsonSchema): string | undefined;
  /** Two messages of the user's may stand behind each other. */
  anyOrder?: true;
  /** The field of a message that holds what was thought. Default `reasoning_content`. */
  thoughtField?: string;
  /** What was thought, as the value of that field. */
  thoughtValue?(text: string): Json;
  usage?: Record<string, Json>;
  /** Where a stream reports its usage: in a chunk of its own behind the last, in the last, or under another name there. */
  usageIn?: 'own-chunk' | 'last-chunk' | 'x_groq';
  /** Finish reasons that have other names. */
  finish?: Record<string, string>;
  error?(status: number, message: string): object;
  tooLong?: { status?: number; message: string; words?: Record<string, Json> };
}

/** OpenAI's chat completions, as the server of a vendor speaks them. */
export function chatCompletions(flavour: ChatFlavour = {}): VendorProtocol {
  const error = flavour.error ?? chatError;
  const { status = 400, message, words } = flavour.tooLong ?? defaultTooLong;
  return {
    refuse: (body) =>
      toolProblem(body) ??
      formatProblem(body) ??
      flavour.refuse?.(body) ??
      messageProblem(asList(body['messages']), flavour),
    whole: (answer, model) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message: wholeMessage(answer, flavour), finish_reason: finishOf(answer, flavour) }],
      ...(!extrasOf(answer).noUsage && { usage: usageOnWire(flavour) }),
    }),
    frames: (answer, model) => frames(answer, model, flavour),
    error,
    errorFrame: (text) => frame({ error: { message: text, type: 'server_error', code: 'overloaded' } }),
    tooLong: () => ({ status, body: withWords(error(status, message), words) }),
  };
}

const defaultTooLong: NonNullable<ChatFlavour['tooLong']> = {
  message: "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens.",
  words: { code: 'context_length_exceeded' },
};

function withWords(body: object, words: Record<string, Json> | undefined): object {
  const inner: unknown = Reflect.get(body, 'error');
  return typeof inner === 'object' && inner !== null
    ? { ...body, error: { ...inner, ...words } }
    : { ...body, ...words };
}

function chatError(_status: number, message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

function usageOnWire(flavour: ChatFlavour): Record<string, Json> {
  return (
    flavour.usage ?? {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    }
  );
}

/** The tools of a request: name and parameters. */
export function declaredTools(body: JsonSchema): JsonSchema[] {
  return asList(body['tools']).map((tool) => asSchema(asSchema(tool)?.['function']) ?? {});
}

function toolProblem(body: JsonSchema): string | undefined {
  for (const declared of declaredTools(body)) {
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

function messageProblem(given: Json[], { anyOrder }: ChatFlavour): string | undefined {
  const ledger = new CallLedger();
  const messages = given.map((value) => asSchema(value) ?? {});
  for (const [index, message] of messages.entries()) {
    const problem = oneMessageProblem(message, anyOrder ? undefined : messages[index - 1]?.['role'], ledger);
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

/** What was thought, in the field or in the content of a message. */
function thoughtOf(answer: Answer, flavour: ChatFlavour): Record<string, Json> {
  const { reasoning } = extrasOf(answer);
  if (reasoning === undefined) return {};
  return { [flavour.thoughtField ?? 'reasoning_content']: flavour.thoughtValue?.(reasoning) ?? reasoning };
}

function wholeMessage(answer: Answer, flavour: ChatFlavour): object {
  const thought = thoughtOf(answer, flavour);
  const said = messageOf(answer);
  // Where thoughts are a part of the content, the text is one too.
  const parts = Array.isArray(thought['content']) && 'content' in said && typeof said.content === 'string';
  const content = parts ? { content: [...asList(thought['content']), { type: 'text', text: said.content }] } : {};
  return { role: 'assistant', ...thought, ...said, ...content };
}

function messageOf(answer: Answer): object {
  if (answer.type === 'refusal') return { content: null, refusal: answer.text };
  if (answer.type === 'text') return { content: answer.text };
  if (answer.type === 'content-filter') return { content: '' };
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argsText(call) },
  }));
  return { content: answer.text ?? '', tool_calls: calls };
}

function finishOf(answer: Answer, { finish }: ChatFlavour): string {
  const reason = extrasOf(answer).cutOff
    ? 'length'
    : answer.type === 'tool-calls'
      ? 'tool_calls'
      : answer.type === 'content-filter'
        ? 'content_filter'
        : 'stop';
  return finish?.[reason] ?? reason;
}

function frames(answer: Answer, model: string, flavour: ChatFlavour): Frames {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model };
  const chunk = (delta: object, finish: string | null = null, extra: object = {}): string =>
    frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...extra });
  const { usageIn = 'own-chunk' } = flavour;
  const counted = extrasOf(answer).noUsage ? undefined : usageOnWire(flavour);
  const beside = counted && {
    'own-chunk': {},
    'last-chunk': { usage: counted },
    x_groq: { x_groq: { usage: counted } },
  };
  const end = [
    chunk({}, finishOf(answer, flavour), beside?.[usageIn]),
    ...(counted && usageIn === 'own-chunk' ? [frame({ ...head, choices: [], usage: counted })] : []),
    frame('[DONE]'),
  ];
  const role = chunk({ role: 'assistant', content: '' });
  if (answer.type === 'content-filter') return { content: [role], end };
  if (answer.type === 'refusal')
    return { content: [role, ...pieces(answer.text).map((refusal) => chunk({ refusal }))], end };
  const thought = extrasOf(answer).reasoning === undefined ? [] : [chunk(thoughtOf(answer, flavour))];
  const text = (answer.text ? pieces(answer.text) : []).map((content) => chunk({ content }));
  const calls = answer.type === 'tool-calls' ? callChunks(answer).map((delta) => chunk(delta)) : [];
  return { content: [role, ...thought, ...text, ...calls], end };
}

function callChunks({ calls, blankDeltaIds }: Extract<Answer, { type: 'tool-calls' }>): object[] {
  return calls.flatMap((call, index) =>
    pieces(argsText(call)).map((piece, at) => {
      const later = blankDeltaIds
        ? { id: '', function: { name: '', arguments: piece } }
        : { function: { arguments: piece } };
      const first = { id: call.id, type: 'function', function: { name: call.name, arguments: piece } };
      return { tool_calls: [{ index, ...(at === 0 ? first : later) }] };
    }),
  );
}
