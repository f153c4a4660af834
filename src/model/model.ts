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
} from '@ai-sdk/provider';
import type { BudgetLimit, Span } from '../core/budget.ts';
import { NondeterminismError, StepFailedError } from '../core/errors.ts';
import type { RunContext } from '../core/run-context.ts';
import type { StepContext } from '../core/step.ts';
import { seal, type Transcript } from '../core/transcript.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { fallbacksOf } from './fallback.ts';
import type { ModelSize } from './model-size.ts';
import type { Price, PricedModel } from './prices.ts';
import { rememberCount } from './prompt-tokens.ts';
import { type Call, reserveAndSpeak } from './speak.ts';
import { type Handover, type Speaker, type Speakers, speakerOf } from './speakers.ts';

export type { Handover, Speaker } from './speakers.ts';

export const roles = ['actor', 'planner', 'verifier', 'refiner', 'reflector', 'judge'] as const;

/** Who is asked: one model may play all, or each role may have its own. */
export type Role = (typeof roles)[number];

/** What a model call needs of a run. */
export interface ModelRun extends RunContext {
  model(role: Role): LanguageModelV4;
  priceOf(model: PricedModel): Price | 'free' | undefined;
  redact(text: string): string;
  readonly temperature: number | undefined;
  /** How the model of a role is asked for its size, as the run began. Absent: nothing is known, and prompts are full. */
  sizeOf?(role: Role): ModelSize | undefined;
  /** Whether deltas are wanted; the result is the same. */
  readonly stream: boolean;
  /** The models that spoke in this execution so far. Absent: histories are not looked through for what only another model understands. */
  readonly speakers?: Speakers;
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

/** What a reply says of its call, whatever came of it. */
export interface Recorded {
  usage: Usage;
  /** Paid from the kept slice: a run that is resumed with higher limits is cut before this. */
  lastAnswer?: true;
  fingerprint: string;
  span?: Span;
  /** Who was asked last: others may stand in, and a fork may go on with another model. Absent in older journals, and where nobody was. */
  by?: Speaker;
  /** How it came to that one, where it is not the model of the role. */
  handovers?: Handover[];
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

/** Asks a model once, with retries and those that stand in for it, inside one journaled step. */
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
  if (reply.type === 'reply') rememberCount(transcript, reply.usage.inputTokens);
  if (reply.by) tellSpeaker(call, reply, reply.by);
  if (run.watched) tellCall(call, reply);
  if (reply.fingerprint !== transcript.fingerprint) {
    throw new NondeterminismError(
      `${run.path || 'run'}/${request.step}: the prompt differs from the recorded one, so the code or its inputs changed ` +
        'under this run. Resume it with the version it began with, or fork it before this step.',
    );
  }
  run.onModelCall?.({ ...request, path: run.path, transcript, spoke: spokeIn(call, reply), reply });
  return reply;
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

/** Notes who spoke, where it may be another model than the one of the role, and tells of the handover. */
function tellSpeaker({ run, request, transcript, model }: Call, { handovers }: ModelReply, by: Speaker): void {
  const { speakers } = run;
  const usual = by.model === model.modelId && by.provider === model.provider;
  if (!speakers || (usual && !fallbacksOf(model))) return;
  speakers.note(transcript.messages, by, model);
  const { step, role } = request;
  for (const handover of speakers.news(handovers, by)) run.emit({ type: 'model.fallback', step, role, ...handover });
}

/** Who was asked then; a replay may have other models. */
function spokeIn({ model }: Call, { by }: ModelReply): Speaker {
  return by ?? speakerOf(model);
}

function tellCall(call: Call, reply: ModelReply): void {
  const { run, request, transcript } = call;
  run.emit({
    type: 'model.call',
    step: request.step,
    role: request.role,
    ...spokeIn(call, reply),
    prompt: { messages: transcript.messages.length, bytes: transcript.bytes, fingerprint: reply.fingerprint },
    outcome: reply.type,
    detail: reply.type === 'reply' ? reply.finish : reply.type === 'refused' ? reply.limit : reply.message,
    usage: reply.usage,
    ms: reply.span ? reply.span.to - reply.span.from : 0,
  });
}
