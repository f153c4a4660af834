/**
 * The one path to a model.
 *
 * 1. The step's result holds the reply, its usage and the prompt's fingerprint, never the prompt: replay rebuilds that.
 * 2. The budget is reserved inside the step and settled after it, so refusals are recorded and the ledger is a fold.
 * 3. A provider's failure is a value, so that what it cost is counted; only cancellation throws. A call that outlasts the time of
 *    the run is refused by `ms`.
 * 4. A fingerprint that differs on replay means the code changed under the run: it is parked.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { BudgetLimit, Hold, Span } from '../core/budget.ts';
import { NondeterminismError, StepFailedError } from '../core/errors.ts';
import type { RunContext } from '../core/run-context.ts';
import type { StepContext } from '../core/step.ts';
import { seal, type Transcript } from '../core/transcript.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { type Generated, type GenerateHandlers, generate } from './collect.ts';
import type { ModelSize } from './model-size.ts';
import { costOf, type Price } from './prices.ts';
import { classifyError, type RetryOptions, retryAfter } from './retry.ts';

/** Who is asked: one model may play all, or each role may have its own. */
export type Role = 'actor' | 'planner' | 'verifier' | 'reflector' | 'judge';

/** What a model call needs of a run. */
export interface ModelRun extends RunContext {
  model(role: Role): LanguageModelV4;
  priceOf(model: LanguageModelV4): Price | 'free' | undefined;
  redact(text: string): string;
  readonly temperature: number | undefined;
  /** How the model of a role is asked for its size, as the run began. Absent: nothing is known, and prompts are full. */
  sizeOf?(role: Role): ModelSize | undefined;
  /** Whether deltas are wanted; the result is the same. */
  readonly stream: boolean;
  /** Told of every call whose prompt its fingerprint proves, in journal order: for who rebuilds the prompts of a recorded run. */
  onModelCall?(call: HeardCall): void;
}

/** A call with its prompt and what came back. */
export interface HeardCall extends Pick<ModelRequest, 'step' | 'role' | 'tools'> {
  path: string;
  /** Sealed. */
  transcript: Transcript;
  spoke: Speaker;
  reply: ModelReply;
}

/** Which model was asked. `provider` as its adapter says. */
export interface Speaker {
  model: string;
  provider: string;
}

export interface ModelRequest {
  /** Step name; part of the journal key. */
  step: string;
  role: Role;
  transcript: Transcript;
  tools?: LanguageModelV4CallOptions['tools'];
  toolChoice?: LanguageModelV4CallOptions['toolChoice'];
  responseFormat?: LanguageModelV4CallOptions['responseFormat'];
  /** Pay from the slice kept for one last answer. */
  lastAnswer?: boolean;
  /** Longer replies are cut. Default: what the provider allows. */
  maxOutputTokens?: number | undefined;
}

interface Recorded {
  usage: Usage;
  /** Paid from the kept slice: a run that is resumed with higher limits is cut before this. */
  lastAnswer?: true;
  fingerprint: string;
  span?: Span;
  /** Who was asked: a fork may go on with another model. Absent in older journals, and where nobody was. */
  by?: Speaker;
}

export type ModelReply = Recorded &
  (
    | {
        type: 'reply';
        content: LanguageModelV4Content[];
        finish: LanguageModelV4GenerateResult['finishReason']['unified'];
      }
    | { type: 'refused'; limit: BudgetLimit }
    | { type: 'error'; message: string }
  );

/** UTF-8 bytes per token assumed where a provider reports nothing: near enough for English and for Chinese. */
const bytesPerToken = 4;

/** Asks a model once, with retries, inside one journaled step. */
export async function callModel(run: ModelRun, request: ModelRequest): Promise<ModelReply> {
  const transcript = seal(request.transcript);
  const call: Call = { run, request, transcript, model: run.model(request.role), hold: undefined };
  const lastAnswer = request.lastAnswer ?? false;
  const remaining = run.budget.remainingMs({ lastAnswer });
  // Rounded up to whole seconds, so that the timers of many calls share one list.
  const timeoutMs = Number.isFinite(remaining) ? Math.max(1, Math.ceil(remaining / 1000)) * 1000 : undefined;
  let reply: ModelReply;
  try {
    const speaking = (context: StepContext): ModelReply | Promise<ModelReply> =>
      reserveAndSpeak(call, context, Date.now() + remaining);
    reply = await run.step(request.step, speaking, timeoutMs === undefined ? undefined : { timeoutMs });
  } catch (error) {
    reply = failedReply(error, call, timeoutMs);
  }
  run.budget.settle(call.hold, reply.usage, reply.span);
  if (run.watched) tellCall(call, reply);
  if (reply.fingerprint !== transcript.fingerprint) {
    throw new NondeterminismError(
      `${run.path || 'run'}/${request.step}: the prompt differs from the recorded one, so the code or its inputs changed ` +
        'under this run. Resume it with the version it began with, or fork it before this step.',
    );
  }
  run.onModelCall?.({ ...request, path: run.path, transcript, spoke: speakerOf(call, reply), reply });
  return reply;
}

/** One call on its way. `hold` is set when the budget was reserved in this execution. */
interface Call {
  run: ModelRun;
  request: ModelRequest;
  transcript: Transcript;
  model: LanguageModelV4;
  hold: Hold | undefined;
}

function failedReply(error: unknown, { run, transcript, hold }: Call, timeoutMs: number | undefined): ModelReply {
  if (!(error instanceof StepFailedError)) {
    run.budget.settle(hold, noUsage);
    throw error;
  }
  const recorded = { usage: { ...noUsage, modelCalls: 1 }, fingerprint: transcript.fingerprint };
  if (error.causeName !== 'TimeoutError') return { type: 'error', message: error.message, ...recorded };
  // The time of the run was over. The call has no span of its own: it ended when its failure was recorded.
  const to = run.now();
  return { type: 'refused', limit: 'ms', ...recorded, span: { from: to - (timeoutMs ?? 0), to } };
}

function reserveAndSpeak(call: Call, context: StepContext, deadline: number): ModelReply | Promise<ModelReply> {
  const { run, request, transcript, model } = call;
  const { bytes, fingerprint } = transcript;
  const tokens = Math.ceil(bytes / bytesPerToken);
  const price = run.priceOf(model);
  const usd = typeof price === 'object' ? costOf(price, { inputTokens: tokens, cachedTokens: 0, outputTokens: 0 }) : 0;
  const cost = { modelCalls: 1, tokens, usd };
  const reserved = run.budget.reserve(cost, { lastAnswer: request.lastAnswer ?? false });
  if (typeof reserved === 'string') return { type: 'refused', limit: reserved, usage: noUsage, fingerprint };
  call.hold = reserved;
  if (run.watched) run.emit({ type: 'model.start', step: request.step, role: request.role });
  return speak(call, context, deadline);
}

async function speak(call: Call, context: StepContext, deadline: number): Promise<ModelReply> {
  const { run, request, transcript, model } = call;
  const from = Date.now();
  const options = callOptions(call, context);
  const attempt = (): Promise<Generated> => generate(model, options, handlersOf(run));
  try {
    let generated: Generated;
    try {
      generated = await attempt();
    } catch (error) {
      const onRetry: RetryOptions['onRetry'] = (info) => run.emit({ type: 'model.retry', step: request.step, ...info });
      generated = await retryAfter(error, attempt, { signal: context.signal, deadline, onRetry });
    }
    const { content, finishReason, usage } = generated;
    const cost = usageOf(usage, run.priceOf(model), { promptBytes: transcript.bytes, content });
    return { type: 'reply', content, finish: finishReason.unified, ...recorded(call, cost, from) };
  } catch (error) {
    context.signal.throwIfAborted();
    const message = run.redact(classifyError(error).message);
    return { type: 'error', message, ...recorded(call, { ...noUsage, modelCalls: 1 }, from) };
  }
}

/** A journaled step is over when its signal aborts, whatever its closure still waits for. */
const whole: GenerateHandlers = { stream: false, callerLeaves: true };

function handlersOf(run: ModelRun): GenerateHandlers {
  return run.stream
    ? { stream: true, callerLeaves: true, onDelta: (text) => run.emit({ type: 'model.delta', text }) }
    : whole;
}

function recorded({ request, transcript, model }: Call, usage: Usage, from: number): Recorded {
  const { fingerprint } = transcript;
  const by = { model: model.modelId, provider: model.provider };
  const made = { usage, fingerprint, span: { from, to: Date.now() }, by };
  return request.lastAnswer ? { ...made, lastAnswer: true } : made;
}

/** Who was asked then; a replay may have other models. */
function speakerOf({ model }: Call, { by }: ModelReply): Speaker {
  return by ?? { model: model.modelId, provider: model.provider };
}

function tellCall(call: Call, reply: ModelReply): void {
  const { run, request, transcript } = call;
  run.emit({
    type: 'model.call',
    step: request.step,
    role: request.role,
    ...speakerOf(call, reply),
    prompt: { messages: transcript.messages.length, bytes: transcript.bytes, fingerprint: reply.fingerprint },
    outcome: reply.type,
    detail: reply.type === 'reply' ? reply.finish : reply.type === 'refused' ? reply.limit : reply.message,
    usage: reply.usage,
    ms: reply.span ? reply.span.to - reply.span.from : 0,
  });
}

function callOptions({ run, request, transcript }: Call, context: StepContext): LanguageModelV4CallOptions {
  return {
    prompt: transcript.messages,
    abortSignal: context.signal,
    headers: { 'idempotency-key': context.idempotencyKey },
    ...(request.tools && { tools: request.tools }),
    ...(request.toolChoice && { toolChoice: request.toolChoice }),
    ...(request.responseFormat && { responseFormat: request.responseFormat }),
    ...(run.temperature !== undefined && { temperature: run.temperature }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
  };
}

/** Missing or zero usage is unknown: it is estimated from the text and counted as such, never as free (invariant 2). */
export function usageOf(
  raw: LanguageModelV4Usage | undefined,
  price: Price | 'free' | undefined,
  text: { promptBytes: number; content: LanguageModelV4Content[] },
): Usage {
  const known = (raw?.inputTokens.total ?? 0) + (raw?.outputTokens.total ?? 0) > 0;
  const estimate = (bytes: number): number => Math.ceil(bytes / bytesPerToken);
  const inputTokens = known ? (raw?.inputTokens.total ?? 0) : estimate(text.promptBytes);
  const outputTokens = known
    ? (raw?.outputTokens.total ?? 0)
    : estimate(Buffer.byteLength(JSON.stringify(text.content)));
  const cachedTokens = raw?.inputTokens.cacheRead ?? 0;
  const usage = { inputTokens, outputTokens, cachedTokens };
  return {
    ...usage,
    modelCalls: 1,
    toolCalls: 0,
    tokens: inputTokens + outputTokens,
    usd: typeof price === 'object' ? costOf(price, usage) : 0,
    unpricedCalls: price === undefined ? 1 : 0,
    estimatedCalls: known ? 0 : 1,
  };
}
