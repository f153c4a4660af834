/** What happens inside the step of a model call: the budget is reserved, a model is asked, and what came of it becomes a value. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { BudgetLimit, Hold } from '../core/budget.ts';
import type { StepContext } from '../core/step.ts';
import type { Transcript } from '../core/transcript.ts';
import { addUsage, noUsage, type Usage } from '../core/usage.ts';
import { type Generated, type GenerateHandlers, generate } from './collect.ts';
import { cannotServe, fallbacksOf, orderNow, putToRest, wakeUp, whyResting } from './fallback.ts';
import type { ModelReply, ModelRequest, ModelRun, Recorded } from './model.ts';
import { costOf } from './prices.ts';
import { promptTokens } from './prompt-tokens.ts';
import { classifyError, type RetryOptions, retryAfter } from './retry.ts';
import { type Handover, nameOf, speakerOf } from './speakers.ts';
import { countFor, usageOf } from './token-usage.ts';

/** One call on its way. `hold` is set when the budget was reserved in this execution. */
export interface Call {
  run: ModelRun;
  request: ModelRequest;
  transcript: Transcript;
  /** The model of the role; others may stand in for it. */
  model: LanguageModelV4;
  hold: Hold | undefined;
}

/** One model's turn to answer. */
interface Turn {
  context: StepContext;
  /** When the call began and when it has to be over, in milliseconds since the epoch. */
  from: number;
  deadline: number;
  /** It stands in for others, the nth in this call. */
  standIn?: number;
  /** Hears the error behind a reply that is one. */
  onError?(error: unknown): void;
}

/** Reserves the call and makes it. Rejects only when the signal aborts. */
export function reserveAndSpeak(call: Call, context: StepContext, deadline: number): ModelReply | Promise<ModelReply> {
  const models = fallbacksOf(call.model);
  const turn: Turn = { context, from: Date.now(), deadline };
  if (models) return speakInTurn(call, models, turn);
  const limit = reserve(call, call.model, 1);
  if (limit) return refused(call, limit);
  tellStart(call);
  return speak(call, call.model, turn);
}

function refused({ transcript }: Call, limit: BudgetLimit): ModelReply {
  return { type: 'refused', limit, usage: noUsage, fingerprint: transcript.fingerprint };
}

/** A hold for so many calls, the last of them with this model, in place of the one there was; or the limit that it would cross. */
function reserve(call: Call, model: LanguageModelV4, modelCalls: number): BudgetLimit | undefined {
  const { run, request, transcript } = call;
  if (call.hold) run.budget.settle(call.hold, noUsage);
  call.hold = undefined;
  const tokens = promptTokens(transcript, request.tools);
  const price = run.priceOf(model);
  const usd = typeof price === 'object' ? costOf(price, { inputTokens: tokens, cachedTokens: 0, outputTokens: 0 }) : 0;
  const reserved = run.budget.reserve({ modelCalls, tokens, usd }, { lastAnswer: request.lastAnswer ?? false });
  if (typeof reserved === 'string') return reserved;
  call.hold = reserved;
  return undefined;
}

function tellStart({ run, request }: Call): void {
  if (run.watched) run.emit({ type: 'model.start', step: request.step, role: request.role });
}

/** Asks one model after the other until one serves. The failed calls are counted with the reply. */
async function speakInTurn(call: Call, models: readonly LanguageModelV4[], turn: Turn): Promise<ModelReply> {
  const order = orderNow(models, Date.now());
  const handovers = passedOver(models, order);
  let spent: Usage = noUsage;
  for (const [index, model] of order.entries()) {
    const limit = reserve(call, model, index + 1);
    if (limit) return counted({ ...refused(call, limit), span: { from: turn.from, to: Date.now() } }, spent, handovers);
    if (index === 0) tellStart(call);
    const { reply, why } = await tryOnce(call, model, { ...turn, ...(index > 0 && { standIn: index }) });
    const next = order[index + 1];
    if (why === undefined || !next) return counted(reply, spent, handovers);
    spent = addUsage(spent, reply.usage);
    handovers.push({ from: nameOf(speakerOf(model)), to: nameOf(speakerOf(next)), why });
  }
  throw new Error('a call has at least one model');
}

/** One model's reply; `why` when it cannot serve, so that another one may. */
async function tryOnce(
  call: Call,
  model: LanguageModelV4,
  turn: Turn,
): Promise<{ reply: ModelReply; why?: string | undefined }> {
  let failed: unknown;
  const onError = (error: unknown): void => {
    failed = error;
  };
  const reply = await speak(call, model, { ...turn, onError });
  if (reply.type === 'reply') wakeUp(model);
  if (reply.type !== 'error' || !cannotServe(classifyError(failed))) return { reply };
  putToRest(model, failed, { why: reply.message, now: Date.now() });
  return { reply, why: reply.message };
}

/** The handover from the first model, where it rests. */
function passedOver(models: readonly LanguageModelV4[], order: readonly LanguageModelV4[]): Handover[] {
  const [meant, asked] = [models[0], order[0]];
  if (!meant || !asked || meant === asked) return [];
  return [{ from: nameOf(speakerOf(meant)), to: nameOf(speakerOf(asked)), why: whyResting(meant) }];
}

function counted(reply: ModelReply, spent: Usage, handovers: Handover[]): ModelReply {
  if (handovers.length === 0) return reply;
  const whole = { ...reply, usage: addUsage(spent, reply.usage), handovers };
  if (whole.type !== 'error') return whole;
  const before = handovers.map(({ from, why }) => `${from}: ${why}`).join(' ');
  return { ...whole, message: `${whole.message} Before it: ${before}` };
}

async function speak(call: Call, model: LanguageModelV4, turn: Turn): Promise<ModelReply> {
  const { run, request, transcript } = call;
  const options = callOptions(call, model, turn);
  const attempt = (): Promise<Generated> => generate(model, options, handlersOf(run));
  const { signal } = turn.context;
  try {
    let generated: Generated;
    try {
      generated = await attempt();
    } catch (error) {
      const onRetry: RetryOptions['onRetry'] = (info) => run.emit({ type: 'model.retry', step: request.step, ...info });
      generated = await retryAfter(error, attempt, { signal, deadline: turn.deadline, onRetry });
    }
    const { content, finishReason, usage } = generated;
    const counting = countFor(model, generated);
    const count = typeof counting === 'function' ? counting : await counting;
    const { messages } = transcript;
    const cost = usageOf(usage, run.priceOf(model), { messages, tools: request.tools, content, count });
    return {
      type: 'reply',
      content,
      finish: finishReason.unified,
      ...recorded(call, model, { usage: cost, from: turn.from }),
    };
  } catch (error) {
    signal.throwIfAborted();
    turn.onError?.(error);
    const message = run.redact(classifyError(error).message);
    const usage = { ...noUsage, modelCalls: 1 };
    return { type: 'error', message, ...recorded(call, model, { usage, from: turn.from }) };
  }
}

/** A journaled step is over when its signal aborts, whatever its closure still waits for. */
const whole: GenerateHandlers = { stream: false, callerLeaves: true };

function handlersOf(run: ModelRun): GenerateHandlers {
  return run.stream
    ? { stream: true, callerLeaves: true, onDelta: (text) => run.emit({ type: 'model.delta', text }) }
    : whole;
}

function recorded(
  { request, transcript }: Call,
  model: LanguageModelV4,
  { usage, from }: { usage: Usage; from: number },
): Recorded {
  const made = { usage, fingerprint: transcript.fingerprint, span: { from, to: Date.now() }, by: speakerOf(model) };
  return request.lastAnswer ? { ...made, lastAnswer: true } : made;
}

function callOptions(call: Call, model: LanguageModelV4, { context, standIn }: Turn): LanguageModelV4CallOptions {
  const { run, request, transcript } = call;
  const { messages } = transcript;
  const key = context.idempotencyKey;
  return {
    prompt: run.speakers?.promptFor(messages, model, call.model) ?? messages,
    abortSignal: context.signal,
    // A server refuses a key that it knows for another request.
    headers: { 'idempotency-key': standIn === undefined ? key : `${key}/${standIn}` },
    ...(request.tools && { tools: request.tools }),
    ...(request.toolChoice && { toolChoice: request.toolChoice }),
    ...(request.responseFormat && { responseFormat: request.responseFormat }),
    ...(run.temperature !== undefined && { temperature: run.temperature }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
  };
}
