import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { CallLedger } from './call-ledger.ts';
import { argumentsProblem } from './openai-chat.ts';
import { type Answer, type Frames, frame, pieces, usage, type VendorProtocol } from './reply.ts';
import { badName, strictProblem } from './schema-checks.ts';

/** OpenAI's responses API, for an organisation without data retention: items cannot be referred to by id. */
export const openAiResponses: VendorProtocol = {
  name: 'openai-responses',
  refuse: (body) => toolProblem(body) ?? formatProblem(body) ?? inputProblem(asList(body['input'])),
  whole: (answer, model) => ({ ...head(model), status: 'completed', output: outputOf(answer), ...tail(answer) }),
  frames,
  error: (_status, message) => ({ error: { message, type: 'invalid_request_error', param: null, code: 'invalid' } }),
  errorFrame: (message) =>
    event('error', { sequence_number: 1, error: { type: 'server_error', code: 'server_error', message } }),
};

function event(type: string, data: object): string {
  return frame({ type, ...data }, type);
}

function head(model: string): object {
  return { id: 'resp_1', object: 'response', created_at: 1, model };
}

function tail(answer: Answer): object {
  return {
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
    },
    incomplete_details: answer.type === 'content-filter' ? { reason: 'content_filter' } : null,
  };
}

function toolProblem(body: JsonSchema): string | undefined {
  for (const tool of asList(body['tools']).map((value) => asSchema(value) ?? {})) {
    const parameters = tool['parameters'];
    const problem =
      badName(tool['name']) ??
      (tool['strict'] === false ? undefined : strictProblem(parameters)) ??
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

function outputOf(answer: Answer): object[] {
  const message = (content: object[]) => ({ type: 'message', role: 'assistant', id: 'msg_1', content });
  if (answer.type === 'content-filter') return [];
  if (answer.type === 'refusal') return [message([{ type: 'refusal', refusal: answer.text }])];
  const text =
    answer.text === undefined ? [] : [message([{ type: 'output_text', text: answer.text, annotations: [] }])];
  if (answer.type === 'text') return text;
  return [...text, ...answer.calls.map((call) => functionCall(call))];
}

function functionCall({ id, name, args }: { id: string; name: string; args: Json }): object {
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  };
}

function frames(answer: Answer, model: string): Frames {
  const type = answer.type === 'content-filter' ? 'response.incomplete' : 'response.completed';
  const end = [event(type, { response: { ...head(model), ...tail(answer) } })];
  const created = event('response.created', { response: head(model) });
  if (answer.type === 'content-filter') return { content: [created], end };
  const text = answer.text === undefined ? [] : textFrames(answer.text, answer.type === 'refusal');
  const calls = answer.type === 'tool-calls' ? answer.calls.flatMap((call, index) => callFrames(call, index + 1)) : [];
  return { content: [created, ...text, ...calls], end };
}

function textFrames(text: string, refused: boolean): string[] {
  const item = { type: 'message', id: 'msg_1' };
  const delta = refused ? 'response.refusal.delta' : 'response.output_text.delta';
  return [
    event('response.output_item.added', { output_index: 0, item }),
    ...pieces(text).map((piece) => event(delta, { item_id: 'msg_1', output_index: 0, content_index: 0, delta: piece })),
    ...(refused
      ? [event('response.refusal.done', { item_id: 'msg_1', output_index: 0, content_index: 0, refusal: text })]
      : []),
    event('response.output_item.done', { output_index: 0, item }),
  ];
}

function callFrames(call: { id: string; name: string; args: Json }, index: number): string[] {
  const done = functionCall(call);
  return [
    event('response.output_item.added', { output_index: index, item: { ...done, arguments: '' } }),
    ...pieces(JSON.stringify(call.args)).map((delta) =>
      event('response.function_call_arguments.delta', { item_id: `fc_${call.id}`, output_index: index, delta }),
    ),
    event('response.output_item.done', { output_index: index, item: done }),
  ];
}
