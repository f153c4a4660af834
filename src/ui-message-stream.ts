/** A run as the AI SDK's UI message stream (version 7), so that front ends with `useChat` show it. The package `ai` is not needed here. */
import { messageOf } from './core/errors.ts';
import type { RunEvent } from './core/event.ts';
import type { RunHandle } from './run-handle.ts';
import type { RunChunk } from './ui-message-stream/chunk.ts';
import { EventParts } from './ui-message-stream/event-parts.ts';
import { doneFrame, eventFrame, eventStreamHeaders, frameStream, readableOf } from './ui-message-stream/readable.ts';
import { resultParts } from './ui-message-stream/result-parts.ts';

export { type ApprovalResponse, approvalResponses } from './ui-message-stream/approval-responses.ts';
export type { RunChunk, RunDataParts, RunMetadata, ToolOutput } from './ui-message-stream/chunk.ts';

export interface UIMessageStreamOptions {
  /** The message to go on with: the id of the last one when a run is resumed after a decision. Default: the client makes one up. */
  messageId?: string;
  /** What becomes of the run when its reader goes away. Default `cancel`. */
  onDisconnect?: 'cancel' | 'continue';
}

/**
 * The run as chunks of one assistant message: a tool part for each call, data parts `plan`, `check` and `approval`, the final answer as
 * text (never a draft), its supported quotes as sources, and metadata with status and usage. A call that waits for a human is a tool part
 * in the state `approval-requested`. Ask for it at once: earlier events are not kept. The stream never fails: an error is a chunk.
 */
export function toUIMessageStream(run: RunHandle, options: UIMessageStreamOptions = {}): ReadableStream<RunChunk> {
  return readableOf(chunks(run, options), { onGone: leaving(run, options) });
}

/** The same as a streaming response: server-sent events with the headers of the protocol. */
export function toUIMessageStreamResponse(
  run: RunHandle,
  options: UIMessageStreamOptions & { headers?: Readonly<Record<string, string>> } = {},
): Response {
  const headers = { ...eventStreamHeaders, 'x-vercel-ai-ui-message-stream': 'v1', ...options.headers };
  return new Response(frameStream(frames(chunks(run, options)), leaving(run, options)), { headers });
}

function chunks(run: RunHandle, options: UIMessageStreamOptions): AsyncGenerator<RunChunk> {
  // Now, and not when the first chunk is asked for: events that come before somebody listens are lost.
  return chunksOf(run, run[Symbol.asyncIterator](), options);
}

async function* chunksOf(
  run: RunHandle,
  events: AsyncIterator<RunEvent>,
  { messageId }: UIMessageStreamOptions,
): AsyncGenerator<RunChunk> {
  const parts = new EventParts();
  try {
    yield { type: 'start', ...(messageId !== undefined && { messageId }), messageMetadata: { runId: run.id } };
    for (let step = await events.next(); !step.done; step = await events.next()) yield* parts.of(step.value);
    yield* resultParts(await run.result);
  } catch (error) {
    yield { type: 'error', errorText: messageOf(error) };
  } finally {
    await events.return?.();
  }
}

async function* frames(parts: AsyncIterable<RunChunk>): AsyncGenerator<string> {
  for await (const chunk of parts) yield eventFrame(chunk);
  yield doneFrame;
}

function leaving(run: RunHandle, { onDisconnect = 'cancel' }: UIMessageStreamOptions): () => void {
  return () => {
    if (onDisconnect === 'cancel') run.cancel().catch(() => {});
  };
}
