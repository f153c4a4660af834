import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema } from '../../model/wire/json-schema.ts';
import { CallLedger } from './call-ledger.ts';
import { eventStreamMessage } from './event-stream.ts';
import { type Answer, argsText, extrasOf, type Frames, pieces, usage, type VendorProtocol } from './reply.ts';
import { anthropicProblem, badName } from './schema-checks.ts';

/** Bedrock's Converse, plain and as an event stream. */
export const bedrock: VendorProtocol = {
  refuse: (body, { key, path }) =>
    (/^(?:Bearer \S|AWS4-HMAC-SHA256 Credential=\S+\/bedrock\/aws4_request, SignedHeaders=)/.test(key)
      ? undefined
      : 'The request signature is missing') ??
    toolProblem(body, path) ??
    cacheProblem(body, path) ??
    messageProblem(asList(body['messages'])),
  whole: (answer) => ({
    output: { message: { role: 'assistant', content: blocksOf(answer) } },
    stopReason: stopReason(answer),
    usage: wireUsage(answer),
    metrics: { latencyMs: 1 },
  }),
  frames,
  error: (_status, message) => ({ message }),
  errorFrame: (message) =>
    eventStreamMessage(
      {
        ':message-type': 'exception',
        ':exception-type': 'serviceUnavailableException',
        ':content-type': 'application/json',
      },
      { message },
    ),
  tooLong: () => ({ status: 400, body: { message: 'Input is too long for requested model.' } }),
  streamType: 'application/vnd.amazon.eventstream',
};

/** The numbers are required here; without news they are zero. */
function wireUsage(answer: Answer): object {
  if (extrasOf(answer).noUsage) return { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const inputTokens = usage.input - usage.cached;
  return {
    inputTokens,
    outputTokens: usage.output,
    totalTokens: usage.input + usage.output,
    cacheReadInputTokens: usage.cached,
    cacheWriteInputTokens: 0,
  };
}

function toolProblem(body: JsonSchema, path: string): string | undefined {
  const config = asSchema(body['toolConfig']) ?? {};
  for (const tool of asList(config['tools']).map((value) => asSchema(asSchema(value)?.['toolSpec']) ?? {})) {
    const schema = asSchema(asSchema(tool['inputSchema'])?.['json']);
    const odd = path.includes('nova')
      ? Object.keys(schema ?? {}).find((keyword) => !['type', 'properties', 'required', '$defs'].includes(keyword))
      : undefined;
    const problem = badName(tool['name']) ?? anthropicProblem(schema) ?? (odd && `unsupported keyword ${odd}`);
    if (problem) return `toolConfig: ${problem}`;
  }
  const forced = asSchema(config['toolChoice']);
  return forced && 'tool' in forced && !/anthropic|nova/.test(path)
    ? "This model doesn't support the toolConfig.toolChoice.tool field."
    : undefined;
}

function cacheProblem(body: JsonSchema, path: string): string | undefined {
  if (!JSON.stringify(body).includes('"cachePoint"')) return undefined;
  return /anthropic|nova/.test(path)
    ? undefined
    : 'You invoked an unsupported model or your request did not allow prompt caching.';
}

function messageProblem(messages: Json[]): string | undefined {
  const ledger = new CallLedger();
  let before: Json | undefined;
  for (const message of messages.map((value) => asSchema(value) ?? {})) {
    const { role } = message;
    const blocks = asList(message['content']).map((block) => asSchema(block) ?? {});
    const problem =
      (role === before ? 'A conversation must alternate between user and assistant roles.' : undefined) ??
      (blocks.length === 0 ? `The content field in the Message object is empty.` : undefined) ??
      blocks.map((block) => blockProblem(block, ledger)).find((found) => found !== undefined) ??
      (role === 'user' && ledger.unanswered
        ? `Expected toolResult blocks for the following Ids: ${ledger.unanswered}`
        : undefined);
    if (problem) return problem;
    before = role;
  }
  return ledger.unanswered && `Expected toolResult blocks for the following Ids: ${ledger.unanswered}`;
}

function blockProblem(block: JsonSchema, ledger: CallLedger): string | undefined {
  const [use, result] = [asSchema(block['toolUse']), asSchema(block['toolResult'])];
  if (typeof block['text'] === 'string' && block['text'].trim() === '')
    return 'The text field in the ContentBlock is blank.';
  if (result) return ledger.result(String(result['toolUseId']));
  if (!use) return undefined;
  const id = String(use['toolUseId']);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) return `toolUseId '${id}' failed to satisfy constraint`;
  return ledger.call(id) ?? badName(use['name']) ?? (asSchema(use['input']) ? undefined : 'input must be an object');
}

function blocksOf(answer: Answer): object[] {
  if (answer.type === 'content-filter' || answer.type === 'refusal') return [];
  const thought = answer.reasoning === undefined ? [] : [thoughtOf(answer.reasoning)];
  const text = answer.text === undefined ? [] : [{ text: answer.text }];
  const calls = answer.type === 'tool-calls' ? answer.calls : [];
  return [
    ...thought,
    ...text,
    ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
  ];
}

function thoughtOf(text: string): object {
  return { reasoningContent: { reasoningText: { text, signature: 'signed' } } };
}

function stopReason(answer: Answer): string {
  if (extrasOf(answer).cutOff) return 'max_tokens';
  if (answer.type === 'tool-calls') return 'tool_use';
  return answer.type === 'text' ? 'end_turn' : 'guardrail_intervened';
}

function event(type: string, payload: object): Uint8Array {
  return eventStreamMessage(
    { ':message-type': 'event', ':event-type': type, ':content-type': 'application/json' },
    payload,
  );
}

function frames(answer: Answer): Frames {
  const start = event('messageStart', { role: 'assistant' });
  const end = [
    event('messageStop', { stopReason: stopReason(answer) }),
    event('metadata', { ...(!extrasOf(answer).noUsage && { usage: wireUsage(answer) }), metrics: { latencyMs: 1 } }),
  ];
  if (answer.type === 'content-filter' || answer.type === 'refusal') return { content: [start], end };
  const blocks = [...thoughtDeltas(answer.reasoning), ...textDeltas(answer.text), ...callDeltas(answer)];
  const content = blocks.flatMap(({ begin, deltas }, contentBlockIndex) => [
    ...(begin ? [event('contentBlockStart', { contentBlockIndex, start: begin })] : []),
    ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
    event('contentBlockStop', { contentBlockIndex }),
  ]);
  return { content: [start, ...content], end };
}

interface Block {
  /** Only calls are announced. */
  begin?: object;
  deltas: object[];
}

function thoughtDeltas(reasoning: string | undefined): Block[] {
  if (reasoning === undefined) return [];
  const texts = pieces(reasoning).map((text) => ({ reasoningContent: { text } }));
  return [{ deltas: [...texts, { reasoningContent: { signature: 'signed' } }] }];
}

function textDeltas(text: string | undefined): Block[] {
  return text === undefined ? [] : [{ deltas: pieces(text).map((piece) => ({ text: piece })) }];
}

function callDeltas(answer: Answer): Block[] {
  if (answer.type !== 'tool-calls') return [];
  return answer.calls.map((call) => ({
    begin: { toolUse: { toolUseId: call.id, name: call.name } },
    deltas: pieces(argsText(call)).map((input) => ({ toolUse: { input } })),
  }));
}
