import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { CallLedger } from './call-ledger.ts';
import { argumentsProblem } from './openai-chat.ts';
import {
  type Answer,
  argsText,
  extrasOf,
  type Frames,
  frame,
  type KnownCall,
  pieces,
  usage,
  type VendorProtocol,
} from './reply.ts';
import { badName, strictProblem } from './schema-checks.ts';

/** OpenAI's responses API, for an organisation without data retention: items cannot be referred to by id. */
export const openAiResponses: VendorProtocol = {
  refuse: (body) =>
    toolProblem(body) ??
    formatProblem(body) ??
    (body['store'] === false ? undefined : 'store must be false for this organisation') ??
    inputProblem(asList(body['input'])),
  whole: (answer, model) => ({ ...head(model), ...tail(answer), output: outputOf(answer) }),
  frames,
  error: (_status, message) => ({ error: { message, type: 'invalid_request_error', param: null, code: 'invalid' } }),
  errorFrame: (message) =>
    event('error', { sequence_number: 1, error: { type: 'server_error', code: 'server_error', message } }),
  tooLong: () => ({
    status: 400,
    body: {
      error: {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      },
    },
  }),
};

/** Azure's: the same behind a key header, at the address of the one API. Older versions are asked at a deployment. */
export const azure: VendorProtocol = {
  ...openAiResponses,
  refuse: (body, request) => (request.key ? openAiResponses.refuse(body, request) : 'Access denied: no api-key'),
};

/** xAI's: every schema is strict, and errors have another shape. */
export const xai: VendorProtocol = {
  ...openAiResponses,
  refuse: (body, request) => {
    const format = asSchema(asSchema(body['text'])?.['format']);
    const loose = format?.['type'] === 'json_schema' ? strictProblem(format['schema']) : undefined;
    return loose ?? openAiResponses.refuse(body, request);
  },
  error: (_status, message) => ({ code: 'Client specified an invalid argument', error: message }),
  errorFrame: (message) => event('error', { sequence_number: 1, code: 'server_error', message, param: null }),
  tooLong: () => ({
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 4096 but the request contains 9000 tokens.",
    },
  }),
};

function event(type: string, data: object): string {
  return frame({ type, ...data }, type);
}

function head(model: string): object {
  return { id: 'resp_1', object: 'response', created_at: 1, model, output: [], status: 'in_progress' };
}

function incompleteReason(answer: Answer): string | undefined {
  if (answer.type === 'content-filter') return 'content_filter';
  return extrasOf(answer).cutOff && 'max_output_tokens';
}

function tail(answer: Answer): object {
  const reason = incompleteReason(answer);
  const counted = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
  return {
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    ...(!extrasOf(answer).noUsage && { usage: counted }),
  };
}

function toolProblem(body: JsonSchema): string | undefined {
  for (const tool of asList(body['tools']).map((value) => asSchema(value) ?? {})) {
    const parameters = tool['parameters'];
    const problem =
      badName(tool['name']) ??
      (tool['strict'] === true ? strictProblem(parameters) : undefined) ??
      (asSchema(parameters)?.['type'] === 'object' ? undefined : 'schema must be an object');
    if (problem) return `tools: ${problem}`;
  }
  return undefined;
}

function formatProblem(body: JsonSchema): string | undefined {
  const format = asSchema(asSchema(body['text'])?.['format']);
  if (format?.['type'] !== 'json_schema') return undefined;
  return format['strict'] === false ? undefined : strictProblem(format['schema']);
}

function inputProblem(input: Json[]): string | undefined {
  const ledger = new CallLedger();
  const problems = input.map((item) => itemProblem(asSchema(item) ?? {}, ledger));
  const first = problems.find((problem) => problem !== undefined);
  return first ?? (ledger.unanswered && `No tool output found for function call ${ledger.unanswered}.`);
}

function itemProblem(item: JsonSchema, ledger: CallLedger): string | undefined {
  const id = String(item['call_id']);
  switch (item['type']) {
    case 'item_reference':
      return `Item with id '${String(item['id'])}' not found`;
    case 'function_call':
      return ledger.call(id) ?? badName(item['name']) ?? argumentsProblem(item['arguments']);
    case 'function_call_output':
      return ledger.result(id);
    default:
      return undefined;
  }
}

function message(content: object[]): object {
  return { type: 'message', role: 'assistant', id: 'msg_1', status: 'completed', content };
}

function outputOf(answer: Answer): object[] {
  if (answer.type === 'content-filter') return [];
  if (answer.type === 'refusal') return [message([{ type: 'refusal', refusal: answer.text }])];
  const thought = answer.reasoning === undefined ? [] : [reasoningItem(answer.reasoning)];
  const text =
    answer.text === undefined ? [] : [message([{ type: 'output_text', text: answer.text, annotations: [] }])];
  const calls = answer.type === 'tool-calls' ? answer.calls.map((call) => functionCall(call)) : [];
  return [...thought, ...text, ...calls];
}

/** Thoughts come as a summary and as a text that only the vendor can read. */
function reasoningItem(text: string): object {
  return {
    type: 'reasoning',
    id: 'rs_1',
    status: 'completed',
    encrypted_content: 'sealed',
    summary: [{ type: 'summary_text', text }],
  };
}

function functionCall(call: KnownCall): object {
  return {
    type: 'function_call',
    id: `fc_${call.id}`,
    call_id: call.id,
    name: call.name,
    arguments: argsText(call),
    status: 'completed',
  };
}

function frames(answer: Answer, model: string): Frames {
  const type = incompleteReason(answer) ? 'response.incomplete' : 'response.completed';
  const end = [event(type, { response: { ...head(model), ...tail(answer), output: outputOf(answer) } })];
  const created = event('response.created', { response: head(model) });
  if (answer.type === 'content-filter') return { content: [created], end };
  const { reasoning } = extrasOf(answer);
  const thought = reasoning === undefined ? [] : reasoningFrames(reasoning);
  const text = answer.text === undefined ? [] : textFrames(answer.text, answer.type === 'refusal');
  const calls = answer.type === 'tool-calls' ? answer.calls.flatMap((call, index) => callFrames(call, index + 2)) : [];
  return { content: [created, ...thought, ...text, ...calls], end };
}

function reasoningFrames(text: string): string[] {
  const item = { ...reasoningItem(text), summary: [], status: 'in_progress' };
  const place = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
  return [
    event('response.output_item.added', { output_index: 0, item }),
    event('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } }),
    ...pieces(text).map((delta) => event('response.reasoning_summary_text.delta', { ...place, delta })),
    event('response.reasoning_summary_text.done', { ...place, text }),
    event('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } }),
    event('response.output_item.done', { output_index: 0, item: reasoningItem(text) }),
  ];
}

function textFrames(text: string, refused: boolean): string[] {
  const delta = refused ? 'response.refusal.delta' : 'response.output_text.delta';
  const place = { item_id: 'msg_1', output_index: 1, content_index: 0 };
  const part = refused ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
  return [
    event('response.output_item.added', { output_index: 1, item: message([]) }),
    ...pieces(text).map((piece) => event(delta, { ...place, delta: piece })),
    ...(refused ? [event('response.refusal.done', { ...place, refusal: text })] : []),
    event('response.output_item.done', { output_index: 1, item: message([part]) }),
  ];
}

function callFrames(call: KnownCall, index: number): string[] {
  const done = functionCall(call);
  return [
    event('response.output_item.added', { output_index: index, item: { ...done, arguments: '' } }),
    ...pieces(argsText(call)).map((delta) =>
      event('response.function_call_arguments.delta', { item_id: `fc_${call.id}`, output_index: index, delta }),
    ),
    event('response.function_call_arguments.done', {
      item_id: `fc_${call.id}`,
      output_index: index,
      arguments: argsText(call),
    }),
    event('response.output_item.done', { output_index: index, item: done }),
  ];
}
