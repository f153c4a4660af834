/** A Result as OpenAI's chat completion, whole or in chunks. */
import { safeAnswer } from '../../checks/safe-answer.ts';
import type { Result, Status } from '../../core/result.ts';
import type { WaitingCall } from '../approvals.ts';
import { ChatError } from './chat-error.ts';
import type { ChatRequest } from './chat-request.ts';
import { type CitedClaim, citedClaims } from './cited-claims.ts';

/** UTF-8 bytes of a token, as the budget counts where no provider does. */
const bytesPerToken = 4;

/** What OpenAI's shape has no place for: how the run ended and on what evidence. The vendor field `assay`. */
export interface ChatExtension {
  run_id: string;
  status: Status;
  reason: { code: string; detail: string };
  /** Only the model that answered has judged the answer. */
  self_checked: boolean;
  /** A last answer, forced when a limit was reached. */
  degraded: boolean;
  claims: CitedClaim[];
  /** The calls a human has to decide on. */
  waiting: { call: string; tool: string; arguments: unknown; why: string }[];
  model_calls: number;
  tool_calls: number;
  usd: number;
  /** Parameters of the request that had no effect. */
  ignored: string[];
}

export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

/** What is said to the client, in one of OpenAI's two places for it. */
export interface ChatReply {
  message: { content: string } | { refusal: string };
  finishReason: 'stop' | 'length';
}

/** What the client gets of a Result. Throws `ChatError` when there is no answer to give. */
export function replyOf(result: Result, request: ChatRequest, waitingMessage: string): ChatReply {
  const { status, answer, attempt, reason } = result;
  if (status === 'awaiting_approval') {
    const message = request.json ? { refusal: waitingMessage } : { content: waitingMessage };
    return { message, finishReason: 'stop' };
  }
  if (answer === undefined || status === 'cancelled')
    throw new ChatError(`The run ${result.runId} ended without an answer: ${reason.detail}`, {
      status: 422,
      code: reason.code,
    });
  // JSON is for programs, which show no pictures; the last word on its form is the schema's.
  const whole = request.json ? answer : safeAnswer({ ...attempt, answer });
  const content = cutTo(whole, request.maxTokens);
  const isCut = content !== whole || attempt.degraded;
  return { message: { content }, finishReason: isCut ? 'length' : 'stop' };
}

function cutTo(text: string, maxTokens: number | undefined): string {
  const bytes = (maxTokens ?? Number.POSITIVE_INFINITY) * bytesPerToken;
  if (Buffer.byteLength(text) <= bytes) return text;
  // A character that the cut halves is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}

/** The usage of the whole run: every call of every model, not only the one that wrote the answer. */
export function usageOf({ usage }: Pick<Result, 'usage'>): ChatUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.tokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  };
}

export function extensionOf(result: Result, request: ChatRequest, waiting: readonly WaitingCall[]): ChatExtension {
  return {
    run_id: result.runId,
    status: result.status,
    reason: result.reason,
    self_checked: result.selfChecked,
    degraded: result.attempt.degraded,
    claims: citedClaims(result),
    waiting: waiting.map(({ call, request: asked }) => ({
      call,
      tool: asked?.tool ?? '',
      arguments: asked?.args ?? null,
      why: asked?.why ?? '',
    })),
    model_calls: result.usage.modelCalls,
    tool_calls: result.usage.toolCalls,
    usd: result.usage.usd,
    ignored: request.ignored,
  };
}

/** What all chunks and the whole completion have in common. */
export interface ChatHead {
  id: string;
  created: number;
  model: string;
}

/** The completion as one object. */
export function completionOf(
  head: ChatHead,
  reply: ChatReply,
  ending: { usage: ChatUsage; assay: ChatExtension },
): unknown {
  const message = { role: 'assistant', content: null, refusal: null, ...reply.message };
  const choice = { index: 0, message, logprobs: null, finish_reason: reply.finishReason };
  return { ...head, object: 'chat.completion', choices: [choice], ...ending };
}

export interface ChatDelta {
  role?: 'assistant';
  content?: string;
  refusal?: string;
}

/** One chunk of a streamed completion. With `include_usage` every chunk but the last one has a usage of null. */
export function chunkOf(
  head: ChatHead,
  delta: ChatDelta,
  more: { finishReason?: ChatReply['finishReason']; includeUsage: boolean; assay?: ChatExtension },
): unknown {
  const choice = { index: 0, delta, logprobs: null, finish_reason: more.finishReason ?? null };
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: [choice],
    ...(more.includeUsage && { usage: null }),
    ...(more.assay && { assay: more.assay }),
  };
}

/** The chunk that tells the usage. */
export function usageChunk(head: ChatHead, usage: ChatUsage): unknown {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage };
}
