/**
 * Recorded model calls.
 *
 * 1. A line of the file is one finished reply; lines are only ever appended, each with one flushed write, so that a crash
 *    keeps what was recorded. Failed and cut calls are not recorded: a replay has nothing to wait or to retry for.
 * 2. A request is its content. Headers, signals, keys and provider options of the call are neither compared nor written.
 * 3. Equal requests replay in recorded order, then repeat the last reply. The count starts anew with each replay object.
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { StateError, UsageError } from '../core/errors.ts';
import { isTextOnly, type ModelTraits, traitsOf } from './capability.ts';
import { collectStream, metadataOf } from './collect.ts';
import { modelSize } from './model-size.ts';
import { rawFinishReason } from './raw-finish.ts';
import {
  type Recording,
  type RequestContent,
  readRecording,
  requestContent,
  requestKey,
  type SizeTraits,
} from './recording.ts';
import { missMessage } from './replay-miss.ts';
import { partsOf, streamOf } from './reply-parts.ts';
import { withoutRunText } from './run-text.ts';

/** The model with every finished reply appended to `file`, whose folder is made. Throws `UsageError` when it cannot be. */
export function recordModel(model: LanguageModelV4, file: string): LanguageModelV4 & ModelTraits {
  const write = (call: LanguageModelV4CallOptions, reply: Pick<Recording, 'result' | 'parts'>): void => {
    const request = requestContent(call);
    const line = {
      key: requestKey(request),
      model: spoken,
      request,
      ...reply,
    };
    appendFileSync(file, `${JSON.stringify(line)}\n`, { flush: true });
  };
  makeWritable(file);
  const { provider, modelId } = model;
  const size = sizeTraits(model);
  const spoken = { provider, modelId, textOnly: isTextOnly(model), ...(size && { size }) };
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    ...traitsOf(model),
    async doGenerate(call) {
      const result = await model.doGenerate(call);
      if (result.finishReason.unified !== 'interrupted') write(call, { result: plainResult(result) });
      return result;
    },
    async doStream(call) {
      const opened = await model.doStream(call);
      return { ...opened, stream: opened.stream.pipeThrough(recorder((parts) => write(call, { parts }))) };
    },
  };
}

/** What `modelSize` makes of the model; a replayed one has a name that says nothing. Undefined where it is asked as ever. */
function sizeTraits(model: LanguageModelV4): SizeTraits | undefined {
  const { why: _, ...size } = modelSize(model);
  return size.small || size.contextTokens !== undefined ? size : undefined;
}

/** Passes a stream on and hands over its parts with the finish part, before the reader sees that one. */
function recorder(
  write: (parts: LanguageModelV4StreamPart[]) => void,
): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const parts: LanguageModelV4StreamPart[] = [];
  let failed = false;
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'error') failed = true;
      // Of the raw chunks only a finish reason matters to a reader.
      else if (part.type !== 'raw' || rawFinishReason(part.rawValue)) parts.push(part);
      if (part.type === 'finish' && !failed && part.finishReason.unified !== 'interrupted') write(parts);
      controller.enqueue(part);
    },
  });
}

/** Without request and response bodies and headers. */
function plainResult(result: LanguageModelV4GenerateResult): Recording['result'] {
  const { content, finishReason, usage } = result;
  return { content, finishReason, usage, response: metadataOf(result.response ?? {}) };
}

function makeWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, '');
  } catch (error) {
    throw new UsageError(`the recording ${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}

export interface ReplayOptions {
  /** Changes the JSON text of a request before it is compared, recorded and asked ones alike. Default: `withoutRunText`. */
  normalise?(requestText: string): string;
}

/**
 * A model that gives back recorded replies, whichever of `doGenerate` and `doStream` recorded them. A request that was not
 * recorded rejects with `StateError`, which shows the nearest one. Throws `UsageError` for a file that is missing, empty or
 * corrupt; a last line that a crash left half is skipped.
 */
export function replayModel(file: string, options: ReplayOptions = {}): LanguageModelV4 & ModelTraits {
  const recordings = readRecording(readOrExplain(file), file);
  const [first] = recordings;
  if (!first) throw new UsageError(`the recording ${file} is empty: record a run into it first`);
  const keyOf = (request: RequestContent): string =>
    requestKey(request, options.normalise?.bind(options) ?? withoutRunText);
  const byKey = Map.groupBy(recordings, (recording) => keyOf(recording.request));
  const used = new Map<string, number>();
  const next = (call: LanguageModelV4CallOptions): Recording => {
    call.abortSignal?.throwIfAborted();
    const request = requestContent(call);
    const key = keyOf(request);
    const known = byKey.get(key) ?? [];
    const count = used.get(key) ?? 0;
    used.set(key, count + 1);
    const recording = known[count] ?? known.at(-1);
    if (!recording) throw new StateError(missMessage({ file, request, recordings }));
    return recording;
  };
  return {
    specificationVersion: 'v4',
    provider: first.model.provider,
    modelId: first.model.modelId,
    supportedUrls: {},
    source: 'replayed',
    ...(first.model.textOnly && { textOnly: true }),
    ...first.model.size,
    async doGenerate(call) {
      const { result, parts } = next(call);
      if (result) return { ...result, warnings: [] };
      const whole = await collectStream(streamOf(parts ?? []), { stream: true }, call.abortSignal);
      return { ...whole, warnings: [] };
    },
    async doStream(call) {
      const { result, parts } = next(call);
      return { stream: streamOf(parts ?? (result ? partsOf(result) : [])) };
    },
  };
}

function readOrExplain(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`the recording ${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
