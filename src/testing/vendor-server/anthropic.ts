import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { type Answer, argsText, extrasOf, type Frames, frame, pieces, usage, type VendorProtocol } from './reply.ts';
import { anthropicProblem, badName } from './schema-checks.ts';

/** Anthropic's messages API. */
export const anthropic: VendorProtocol = {
  refuse: (body) =>
    toolProblem(body) ?? markProblem(body) ?? blankText(body['system']) ?? messageProblem(asList(body['messages'])),
  whole: (answer, model) => ({
    ...head(model),
    content: blocksOf(answer),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: wireUsage(answer),
  }),
  frames,
  error: (status, message) => ({
    type: 'error',
    error: {
      type: status === 529 ? 'overloaded_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error',
      message,
    },
  }),
  errorFrame: (message) => event('error', { error: { type: 'overloaded_error', message } }),
  tooLong: () => ({
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 4096 maximum' },
    },
  }),
};

/** Here zero is what is said of nothing: the fields are required. */
function wireUsage(answer: Answer): object {
  return extrasOf(answer).noUsage
    ? { input_tokens: 0, output_tokens: 0 }
    : { ...inputUsage, output_tokens: usage.output };
}

const mostMarks = 4;

function markProblem(body: JsonSchema): string | undefined {
  const found = JSON.stringify(body).split('"cache_control"').length - 1;
  return found > mostMarks
    ? `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${found}.`
    : undefined;
}

const inputUsage = { input_tokens: usage.input - usage.cached, cache_read_input_tokens: usage.cached };

function event(type: string, data: object): string {
  return frame({ type, ...data }, type);
}

function head(model: string): object {
  return { type: 'message', id: 'msg_1', role: 'assistant', model };
}

function toolProblem(body: JsonSchema): string | undefined {
  for (const tool of asList(body['tools']).map((value) => asSchema(value) ?? {})) {
    const problem = badName(tool['name']) ?? anthropicProblem(tool['input_schema']);
    if (problem) return `tools: ${problem}`;
  }
  return undefined;
}

function blankText(content: Json | undefined): string | undefined {
  const blocks = asList(content).map((block) => asSchema(block) ?? {});
  const blank = blocks.some((block) => block['type'] === 'text' && String(block['text']).trim() === '');
  return blank ? 'text content blocks must contain non-whitespace text' : undefined;
}

function messageProblem(messages: Json[]): string | undefined {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const message of messages.map((value) => asSchema(value) ?? {})) {
    const blocks = asList(message['content']).map((block) => asSchema(block) ?? {});
    const uses = blocks.filter((block) => block['type'] === 'tool_use');
    const answered = blocks
      .filter((block) => block['type'] === 'tool_result')
      .map((block) => String(block['tool_use_id']));
    const problem =
      (blocks.length === 0 ? 'messages must have non-empty content' : undefined) ??
      blankText(blocks) ??
      (answered.some((id) => !open.includes(id)) ? 'unexpected tool_use_id found in tool_result blocks' : undefined) ??
      (open.some((id) => !answered.includes(id))
        ? 'tool_use ids were found without tool_result blocks immediately after'
        : undefined) ??
      (new Set(answered).size < answered.length ? 'each tool_use must have a single result' : undefined) ??
      useProblem(uses, seen);
    if (problem) return problem;
    open = uses.map((use) => String(use['id']));
  }
  return open.length > 0 ? 'tool_use ids were found without tool_result blocks immediately after' : undefined;
}

function useProblem(uses: JsonSchema[], seen: Set<string>): string | undefined {
  for (const use of uses) {
    const id = String(use['id']);
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) return `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$', got '${id}'`;
    if (seen.has(id)) return '`tool_use` ids must be unique';
    if (!asSchema(use['input'])) return 'tool_use.input: Input should be an object';
    const problem = badName(use['name']);
    if (problem) return problem;
    seen.add(id);
  }
  return undefined;
}

function blocksOf(answer: Answer): object[] {
  if (answer.type === 'content-filter') return [];
  const { reasoning } = extrasOf(answer);
  const thought = reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: 'signed' }];
  const text = answer.text === undefined ? [] : [{ type: 'text', text: answer.text }];
  const calls = answer.type === 'tool-calls' ? answer.calls : [];
  return [...thought, ...text, ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))];
}

function stopReason(answer: Answer): string {
  if (extrasOf(answer).cutOff) return 'max_tokens';
  if (answer.type === 'tool-calls') return 'tool_use';
  return answer.type === 'text' ? 'end_turn' : 'refusal';
}

function frames(answer: Answer, model: string): Frames {
  const counted = wireUsage(answer);
  const start = event('message_start', {
    message: { ...head(model), content: [], stop_reason: null, usage: { ...counted, output_tokens: 0 } },
  });
  const end = [
    event('message_delta', {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: Reflect.get(counted, 'output_tokens') },
    }),
    event('message_stop', {}),
  ];
  if (answer.type === 'content-filter') return { content: [start], end };
  const blocks = [...thoughtBlocks(answer), ...textBlocks(answer), ...callBlocks(answer)];
  return { content: [start, ...blocks.flatMap(({ block, deltas }, index) => blockFrames(index, block, deltas))], end };
}

interface Block {
  block: object;
  deltas: object[];
}

function thoughtBlocks(answer: Answer): Block[] {
  const { reasoning } = extrasOf(answer);
  if (reasoning === undefined) return [];
  const thinking = pieces(reasoning).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
  const deltas = [...thinking, { type: 'signature_delta', signature: 'signed' }];
  return [{ block: { type: 'thinking', thinking: '', signature: '' }, deltas }];
}

function textBlocks(answer: Exclude<Answer, { type: 'content-filter' }>): Block[] {
  if (answer.text === undefined) return [];
  const deltas = pieces(answer.text).map((text) => ({ type: 'text_delta', text }));
  return [{ block: { type: 'text', text: '' }, deltas }];
}

function callBlocks(answer: Answer): Block[] {
  if (answer.type !== 'tool-calls') return [];
  return answer.calls.map((call) => ({
    block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
    deltas: pieces(argsText(call)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  }));
}

function blockFrames(index: number, block: object, deltas: object[]): string[] {
  return [
    event('content_block_start', { index, content_block: block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}
