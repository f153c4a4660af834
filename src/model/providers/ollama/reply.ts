import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { usageFrom } from '../../reply-parts.ts';
import { ChatChunk, type ToolCall } from './ollama-api.ts';

/** What the tokens of a prompt were counted as. */
export interface Counted {
  promptTokens: number;
}

type Block = 'text' | 'reasoning';

interface Reading {
  forced: boolean;
  /** Of a forced call: it is one object, and only whole of use. */
  written: string;
  open: Block | undefined;
  blocks: number;
  calls: number;
  finished: boolean;
}

/** The parts of a reply, out of the lines of `/api/chat`. A stream that ends without a last line ends `interrupted`. */
export async function* replyParts(
  body: ReadableStream<Uint8Array>,
  { forced, onCounted }: { forced: boolean; onCounted(counted: Counted): void },
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reading: Reading = { forced, written: '', open: undefined, blocks: 0, calls: 0, finished: false };
  for await (const line of linesOf(body)) {
    const chunk = chunkOf(line);
    if (chunk.prompt_eval_count) onCounted({ promptTokens: chunk.prompt_eval_count });
    yield* partsOf(chunk, reading);
    if (reading.finished) return;
  }
  yield* closed(reading);
  yield { type: 'finish', finishReason: { unified: 'interrupted', raw: undefined }, usage: usageFrom(undefined) };
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line.trim() !== '');
  }
  // The last line may end without a newline; half of one is no line.
  if (rest.trim() !== '' && isJson(rest)) yield rest;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function chunkOf(line: string): ChatChunk {
  const read = ChatChunk.safeParse(isJson(line) ? JSON.parse(line) : undefined);
  return read.success ? read.data : { error: `Ollama sent a line that is no part of a reply: ${line.slice(0, 200)}` };
}

function* partsOf(chunk: ChatChunk, reading: Reading): Generator<LanguageModelV4StreamPart> {
  if (chunk.error !== undefined) {
    reading.finished = true;
    yield { type: 'error', error: { message: chunk.error } };
    return;
  }
  const { message } = chunk;
  if (message?.thinking) yield* said('reasoning', message.thinking, reading);
  if (message?.content && reading.forced) reading.written += message.content;
  else if (message?.content) yield* said('text', message.content, reading);
  for (const call of message?.tool_calls ?? []) yield* called(call, reading);
  if (!chunk.done) return;
  if (reading.forced) yield* forcedCall(reading);
  yield* closed(reading);
  reading.finished = true;
  const counts = countsOf(chunk);
  yield { type: 'finish', finishReason: finishOf(chunk, reading), usage: usageFrom(counts) };
}

/** Without a count of the prompt, as older servers have it where all of it was cached, nothing is known. */
function countsOf({
  prompt_eval_count: inputTokens,
  eval_count: outputTokens,
}: ChatChunk): Parameters<typeof usageFrom>[0] {
  return inputTokens ? { inputTokens, outputTokens: outputTokens ?? 0 } : undefined;
}

function finishOf({ done_reason: raw }: ChatChunk, { calls }: Reading): LanguageModelV4FinishReason {
  const said = raw ?? 'stop';
  if (said === 'length') return { unified: 'length', raw: said };
  if (calls > 0) return { unified: 'tool-calls', raw: said };
  // `load` and `unload` answer a request without a message.
  return { unified: said === 'stop' ? 'stop' : 'other', raw: said };
}

function* said(type: Block, delta: string, reading: Reading): Generator<LanguageModelV4StreamPart> {
  if (reading.open !== type) {
    yield* closed(reading);
    reading.open = type;
    reading.blocks += 1;
    yield { type: `${type}-start`, id: `${type}-${reading.blocks}` };
  }
  yield { type: `${type}-delta`, id: `${type}-${reading.blocks}`, delta };
}

function* closed(reading: Reading): Generator<LanguageModelV4StreamPart> {
  const { open } = reading;
  reading.open = undefined;
  if (open) yield { type: `${open}-end`, id: `${open}-${reading.blocks}` };
}

function* called(call: ToolCall, reading: Reading): Generator<LanguageModelV4StreamPart> {
  yield* closed(reading);
  reading.calls += 1;
  const toolCallId = call.id?.trim() || `call_${reading.calls}`;
  const { name: toolName, arguments: given } = call.function;
  const input = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  yield { type: 'tool-input-start', id: toolCallId, toolName };
  yield { type: 'tool-input-delta', id: toolCallId, delta: input };
  yield { type: 'tool-input-end', id: toolCallId };
  yield { type: 'tool-call', toolCallId, toolName, input };
}

/** What was written for a forced call; a model that was not held to the format has just said something. */
function* forcedCall(reading: Reading): Generator<LanguageModelV4StreamPart> {
  if (reading.written.trim() === '') return;
  const call: unknown = isJson(reading.written) ? JSON.parse(reading.written) : undefined;
  const name: unknown = Reflect.get(Object(call), 'name');
  if (typeof name === 'string') {
    yield* called({ function: { name, arguments: Reflect.get(Object(call), 'arguments') } }, reading);
  } else {
    yield* said('text', reading.written, reading);
  }
}
