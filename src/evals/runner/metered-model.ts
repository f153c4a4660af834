/**
 * A model as one run of an evaluation asks it: behind the provider's rate limit, with replies from the cache, and metered.
 *
 * 1. It tells the model which sample of the same request this is (`providerOptions.assay.sample`, from 0): vendors ignore it, a simulated
 *    model varies by it.
 * 2. A request that failed gives its sample number back: a retry is the same sample.
 * 3. What costs nothing to ask again (scripted and replayed models) is neither cached nor held back.
 */
import {
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import type { Span } from '../../core/budget.ts';
import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import { type ModelTraits, sourceOf, traitsOf } from '../../model/capability.ts';
import { collectStream } from '../../model/collect.ts';
import type { Price } from '../../model/prices.ts';
import type { RateLimiter } from '../../model/rate-limit/rate-limiter.ts';
import { rawFinishReason } from '../../model/raw-finish.ts';
import { requestContent, requestKey } from '../../model/recording.ts';
import { partsOf, streamOf } from '../../model/reply-parts.ts';
import { countFor, usageOf } from '../../model/token-usage.ts';
import type { ReplyCache } from './reply-cache.ts';

/** What the models of one run share. */
export interface Meter {
  readonly limiter: RateLimiter;
  readonly cache: ReplyCache | undefined;
  /** Part of the cache's keys: another repeat is another draw. */
  readonly repeat: number;
  /** The number of the first sample: a run that goes on after a kill must not draw again what its journal has. */
  readonly firstSample: number;
  readonly priceOf: (model: LanguageModelV4) => Price | 'free' | undefined;
  /** Usage of the replies that came from the cache. */
  saved: Usage;
  /** When a call waited for its turn. */
  readonly waits: Span[];
  /** Sample numbers that are given out, by request. */
  readonly given: Map<string, Set<number>>;
}

export function newMeter(options: Pick<Meter, 'limiter' | 'cache' | 'repeat' | 'firstSample' | 'priceOf'>): Meter {
  return { ...options, saved: noUsage, waits: [], given: new Map() };
}

const bytesPerToken = 4;
const never = new AbortController().signal;

/** Wraps a model for one run. */
export function meteredModel(model: LanguageModelV4, meter: Meter): LanguageModelV4 & ModelTraits {
  const source = sourceOf(model);
  const costsNothing = source === 'scripted' || source === 'replayed';
  const open = async (call: LanguageModelV4CallOptions): Promise<ReadableStream<LanguageModelV4StreamPart>> => {
    if (!costsNothing) return streamOf(await replyTo(call, model, meter));
    const sample = takeSample(meter, JSON.stringify([model.modelId, call.prompt, call.responseFormat]));
    return (await model.doStream(withSample(call, sample))).stream;
  };
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    ...traitsOf(model),
    doGenerate: async (call) => {
      const whole = await collectStream(await open(call), { stream: true }, call.abortSignal);
      return { ...whole, warnings: [] };
    },
    doStream: async (call) => ({ stream: await open(call) }),
  };
}

async function replyTo(
  call: LanguageModelV4CallOptions,
  model: LanguageModelV4,
  meter: Meter,
): Promise<LanguageModelV4StreamPart[]> {
  const key = `${model.provider}/${model.modelId}/${meter.repeat}/${requestKey(requestContent(call), withoutBoundary)}`;
  const sample = takeSample(meter, key);
  const known = meter.cache?.take(key, sample);
  if (known) {
    const { usage, content } = await collectStream(streamOf(known), { stream: true }, call.abortSignal);
    const { prompt: messages, tools } = call;
    const count = await countFor(model, { usage, content });
    const spent = usageOf(usage, meter.priceOf(model), { messages, tools, content, count });
    meter.saved = addUsage(meter.saved, spent);
    return known;
  }
  try {
    const parts = await askLimited(model, withSample(call, sample), meter);
    if (isWhole(parts)) meter.cache?.put(key, sample, parts);
    return parts;
  } catch (error) {
    meter.given.get(key)?.delete(sample);
    throw error;
  }
}

/** The mark that fences untrusted text differs from run to run. The day stays: an answer may depend on it. */
function withoutBoundary(text: string): string {
  return text.replace(/<(\/?)data [0-9a-f]{16}>/g, '<$1data>');
}

function takeSample({ given, firstSample }: Meter, key: string): number {
  const taken = given.get(key) ?? new Set();
  given.set(key, taken);
  let sample = firstSample;
  while (taken.has(sample)) sample++;
  taken.add(sample);
  return sample;
}

function withSample(call: LanguageModelV4CallOptions, sample: number): LanguageModelV4CallOptions {
  return { ...call, providerOptions: { ...call.providerOptions, assay: { sample } } };
}

async function askLimited(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  meter: Meter,
): Promise<LanguageModelV4StreamPart[]> {
  if (!meter.limiter.limits(model)) return partsFrom(model, call);
  const from = Date.now();
  const assumed = Math.ceil(promptBytes(call) / bytesPerToken);
  const passage = await meter.limiter.enter(model, assumed, call.abortSignal ?? never);
  meter.waits.push({ from, to: Date.now() });
  let used = assumed;
  try {
    const parts = await partsFrom(model, call);
    used = totalTokens(parts) ?? assumed;
    return parts;
  } finally {
    passage.leave(used);
  }
}

/** The whole reply; a stream that broke is an error, so that the request counts as failed. */
async function partsFrom(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  const opened = await openStream(model, call);
  if (!opened) return partsOf(await model.doGenerate(call));
  for await (const part of opened) {
    if (part.type === 'error') throw part.error;
    // Of the raw chunks only a finish reason matters to a reader.
    if (part.type !== 'raw' || rawFinishReason(part.rawValue)) parts.push(part);
  }
  return parts;
}

/** Nothing where the model gives whole replies only. */
async function openStream(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
): Promise<ReadableStream<LanguageModelV4StreamPart> | undefined> {
  try {
    return (await model.doStream(call)).stream;
  } catch (error) {
    if (UnsupportedFunctionalityError.isInstance(error)) return undefined;
    throw error;
  }
}

function isWhole(parts: readonly LanguageModelV4StreamPart[]): boolean {
  return parts.some((part) => part.type === 'finish' && part.finishReason.unified !== 'interrupted');
}

function totalTokens(parts: readonly LanguageModelV4StreamPart[]): number | undefined {
  const finish = parts.find((part) => part.type === 'finish');
  if (finish?.type !== 'finish') return undefined;
  const total = (finish.usage.inputTokens.total ?? 0) + (finish.usage.outputTokens.total ?? 0);
  return total > 0 ? total : undefined;
}

function promptBytes(call: LanguageModelV4CallOptions): number {
  return Buffer.byteLength(JSON.stringify(call.prompt));
}
