import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Usage } from '../core/usage.ts';
import { isLanguageModel, sourceOf } from './capability.ts';
import { type BilledTokens, costOf, type Price } from './prices.ts';
import { contentTokens, messagesTokens, toolTokens } from './prompt-tokens.ts';
import { bestCount, type CountTokens, estimateTokens } from './token-count.ts';

/** What was sent and what came back, to be counted where the provider did not. */
export interface Spoken {
  messages: readonly LanguageModelV4Message[];
  tools?: Parameters<typeof toolTokens>[0];
  content: readonly LanguageModelV4Content[];
  /** Default: by the estimate. */
  count?: CountTokens;
}

type Raw = LanguageModelV4Usage | undefined;

/** Whether the provider reported both what it read and what it said. Zero is as unknown as nothing, but for a reply without a word. */
function isCounted(raw: Raw, content: readonly LanguageModelV4Content[]): boolean {
  return inputOf(raw) !== undefined && outputOf(raw, content) !== undefined;
}

/** How the tokens of a call are counted where its provider did not: exactly only where a language model answered. */
export function countFor(
  model: LanguageModelV4,
  { usage, content }: { usage: Raw; content: readonly LanguageModelV4Content[] },
): CountTokens | Promise<CountTokens> {
  return isCounted(usage, content) || !isLanguageModel(sourceOf(model)) ? estimateTokens : bestCount();
}

/** The usage of one call at its price. A part that is not known is counted from the text and marked, never taken as free (invariant 2). */
export function usageOf(raw: Raw, price: Price | 'free' | undefined, spoken: Spoken): Usage {
  const { messages, tools, content, count = estimateTokens } = spoken;
  const input = inputOf(raw);
  const output = outputOf(raw, content);
  const inputTokens = input ?? Math.max(messagesTokens(messages, count) + toolTokens(tools, count), cachesOf(raw));
  const outputTokens = output ?? contentTokens(content, count);
  const cacheWriteTokens = raw?.inputTokens.cacheWrite ?? 0;
  const reasoningTokens = raw?.outputTokens.reasoning ?? 0;
  const billed: BilledTokens = {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(raw?.inputTokens.cacheRead ?? 0, inputTokens),
    cacheWriteTokens,
    reasoningTokens,
  };
  const usage: Usage = {
    modelCalls: 1,
    toolCalls: 0,
    inputTokens,
    outputTokens,
    cachedTokens: billed.cachedTokens,
    tokens: inputTokens + outputTokens,
    usd: typeof price === 'object' ? costOf(price, { ...billed, hourlyCacheWriteTokens: hourlyWritesOf(raw) }) : 0,
    unpricedCalls: price === undefined ? 1 : 0,
    estimatedCalls: input === undefined || output === undefined ? 1 : 0,
  };
  if (cacheWriteTokens > 0) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens > 0) usage.reasoningTokens = reasoningTokens;
  return usage;
}

function inputOf(raw: Raw): number | undefined {
  if (raw?.inputTokens.total) return raw.inputTokens.total;
  return raw?.inputTokens.noCache ? raw.inputTokens.noCache + cachesOf(raw) : undefined;
}

function cachesOf(raw: Raw): number {
  return (raw?.inputTokens.cacheRead ?? 0) + (raw?.inputTokens.cacheWrite ?? 0);
}

function outputOf(raw: Raw, content: readonly LanguageModelV4Content[]): number | undefined {
  if (raw?.outputTokens.total) return raw.outputTokens.total;
  const parts = (raw?.outputTokens.text ?? 0) + (raw?.outputTokens.reasoning ?? 0);
  if (parts > 0) return parts;
  return contentTokens(content) === 0 ? 0 : undefined;
}

/** Anthropic tells how much it keeps for how long, which the specification has no field for. */
function hourlyWritesOf(raw: Raw): number {
  const kept: unknown = Reflect.get(Object(raw?.raw?.['cache_creation']), 'ephemeral_1h_input_tokens');
  return typeof kept === 'number' ? kept : 0;
}
