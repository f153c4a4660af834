/**
 * One reply out of one model call.
 *
 * 1. Streaming is the base: the result is what `doGenerate` would have given.
 * 2. A reply is whole or it is an error: what came before a cut is discarded, a half tool call above all.
 * 3. Once the server has given a finish reason the reply is whole, and what comes after it is ignored.
 * 4. Whatever happens, the stream is cancelled or read to its end, and no rejection is left unhandled.
 */
import {
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4FinishReason,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4ResponseMetadata,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { connectionCode, InterruptedStreamError, StreamedProviderError, saysUnfinished } from './classify-error.ts';
import { ContentFold, isKept, type Progress } from './content-fold.ts';
import { rawFinishReason } from './raw-finish.ts';
import { usageFrom } from './reply-parts.ts';

export interface GenerateHandlers {
  stream: boolean;
  /** Text as it arrives. A failed call may have shown some; a retry begins again. */
  onDelta?(text: string): void;
  onProgress?(info: Progress): void;
  /** The caller does not wait any longer once the signal aborts: a whole reply may come or fail late then, which saves a listener. */
  callerLeaves?: true;
}

/** Content of texts, reasoning and calls, JSON apart from the timestamp of `response`. */
export type Generated = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage' | 'response'>;

/**
 * Asks the model once. Rejects with the signal's reason as soon as it aborts, with `InterruptedStreamError` when the
 * reply was cut, with `StreamedProviderError` for an error event, and with the provider's own error otherwise.
 */
export function generate(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  handlers: GenerateHandlers,
): Promise<Generated> {
  return handlers.stream ? generateStreamed(model, options, handlers) : generateWhole(model, options, handlers);
}

async function generateStreamed(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  handlers: GenerateHandlers,
): Promise<Generated> {
  options.abortSignal?.throwIfAborted();
  let opened: LanguageModelV4StreamResult;
  try {
    // Raw chunks tell whether the server had finished when the connection broke.
    const opening = model.doStream({ ...options, includeRawChunks: true });
    opened = await orAbort(opening, options.abortSignal, (late) => void late.stream.cancel().catch(ignore));
  } catch (error) {
    if (!UnsupportedFunctionalityError.isInstance(error)) throw error;
    const whole = await generateWhole(model, options, handlers);
    for (const part of whole.content) if (part.type === 'text') handlers.onDelta?.(part.text);
    return whole;
  }
  return await collectStream(opened.stream, handlers, options.abortSignal);
}

async function generateWhole(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  { callerLeaves }: GenerateHandlers,
): Promise<Generated> {
  options.abortSignal?.throwIfAborted();
  const result = await orAbort(model.doGenerate(options), callerLeaves ? undefined : options.abortSignal, ignore);
  if (result.finishReason.unified === 'interrupted') throw cut('the reply');
  return {
    content: result.content.every(isKept) ? result.content : result.content.filter(isKept),
    finishReason: result.finishReason,
    usage: result.usage,
    response: metadataOf(result.response ?? {}),
  };
}

/** What is known of the reply so far. */
interface Reading {
  fold: ContentFold;
  response: LanguageModelV4ResponseMetadata;
  /** What the server said on the wire, which the provider package may not have passed on. */
  rawFinish?: LanguageModelV4FinishReason;
  finish?: Extract<LanguageModelV4StreamPart, { type: 'finish' }>;
  failed?: { error: unknown };
}

/** The reply in an open stream, under the same contract as `generate`. */
export async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  handlers: GenerateHandlers,
  signal: AbortSignal | undefined,
): Promise<Generated> {
  const reader = stream.getReader();
  // Cancelling ends a pending read at once, also when the source ignores the signal.
  const cancel = (): void => void reader.cancel(signal?.reason).catch(ignore);
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const reading: Reading = { fold: new ContentFold(handlers), response: {} };
  try {
    while (!reading.finish && !(reading.failed && !reading.rawFinish)) {
      const next = await reader.read();
      if (next.done) break;
      take(reading, next.value);
    }
  } catch (error) {
    reading.failed ??= { error };
  } finally {
    signal?.removeEventListener('abort', cancel);
    cancel();
  }
  if (!reading.finish) signal?.throwIfAborted();
  return concluded(reading);
}

function take(reading: Reading, part: LanguageModelV4StreamPart): void {
  switch (part.type) {
    case 'finish':
      reading.finish = part;
      return;
    case 'error':
      reading.failed ??= { error: part.error };
      return;
    case 'raw': {
      const finish = rawFinishReason(part.rawValue);
      if (finish) reading.rawFinish = finish;
      return;
    }
    case 'response-metadata':
      reading.response = { ...reading.response, ...metadataOf(part) };
      return;
    default:
      reading.fold.add(part);
  }
}

/** The reply, if it is whole (2, 3). */
function concluded({ fold, response, rawFinish, finish, failed }: Reading): Generated {
  const usage = finish?.usage ?? usageFrom(undefined);
  const claimed = failed || (finish && isUnfinished(finish.finishReason)) ? undefined : finish?.finishReason;
  if (claimed) return { content: fold.content(), finishReason: claimed, usage, response };
  if (rawFinish && !fold.openCall) return { content: fold.content(), finishReason: rawFinish, usage, response };
  if (!failed || saysUnfinished(failed.error)) throw cut(fold.openCall ? `a call of ${fold.openCall}` : 'the reply');
  throw streamError(failed.error);
}

/** `other` without a reason of the server's own is how older packages report a stream that just ended. */
function isUnfinished(reason: LanguageModelV4FinishReason): boolean {
  return reason.unified === 'interrupted' || (reason.unified === 'other' && reason.raw === undefined);
}

function streamError(error: unknown): unknown {
  if (!(error instanceof Error)) return new StreamedProviderError(error);
  return connectionCode(error) ? cut('the reply', error) : error;
}

function cut(what: string, cause?: unknown): InterruptedStreamError {
  return new InterruptedStreamError(
    `The connection to the model was cut in the middle of ${what}, before a finish reason; the part that arrived is discarded. ` +
      'Try again; if it happens every time, look for a proxy or server timeout between here and the provider.',
    { cause },
  );
}

/** Id, time and model of a response, without its headers and body. */
export function metadataOf({
  id,
  timestamp,
  modelId,
}: LanguageModelV4ResponseMetadata): LanguageModelV4ResponseMetadata {
  return {
    ...(id !== undefined && { id }),
    ...(timestamp && { timestamp }),
    ...(modelId !== undefined && { modelId }),
  };
}

/** The work, or the abort at once. What the work gives after that is handed to `discard`; its failure is nobody's. */
function orAbort<T>(work: PromiseLike<T>, signal: AbortSignal | undefined, discard: (late: T) => void): PromiseLike<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      work.then(discard, ignore);
      reject(signal.reason);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', onAbort);
    work.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error) => {
        settled();
        reject(error);
      },
    );
  });
}

function ignore(): void {}
