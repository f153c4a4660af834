/**
 * OpenAI's chat completions with an agent behind them, so that any chat client can use it.
 *
 * 1. A client gets the answer of a run that has ended, never a draft: it comes in one delta, and what happens before is told in comments.
 * 2. What would have changed the answer and cannot be done is refused; what only hints is ignored and named in `assay.ignored`.
 * 3. A run that ended without an answer is an error that clients do not repeat by themselves (422): each try is a whole run.
 */
import type { Agent, RunOptions, TaskInput } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import type { RunHandle } from '../../run-handle.ts';
import {
  commentFrame,
  doneFrame,
  eventFrame,
  eventStreamHeaders,
  frameStream,
} from '../../ui-message-stream/readable.ts';
import { type WaitingCall, waitingCalls } from '../approvals.ts';
import { bodyText, parsedBody } from '../request-body.ts';
import { defaultServerLimits } from '../server-options.ts';
import { ChatError, chatErrorBody, chatErrorResponse } from './chat-error.ts';
import { type ChatHead, chunkOf, completionOf, extensionOf, replyOf, usageChunk, usageOf } from './chat-reply.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { progressText } from './progress-text.ts';
import type { SamplingChoice } from './sampling.ts';
import { waitingText } from './waiting-text.ts';

export interface ChatOptions {
  agent: Agent;
  /** The model's name in requests and replies. Default `assay`. */
  model?: string;
  /** Temperature and the like: `refuse` (the default) as OpenAI's reasoning models do, or `ignore`, for clients that always send them. */
  sampling?: SamplingChoice;
  /** What becomes of a run whose client went away. Default `cancel`. */
  onDisconnect?: 'cancel' | 'continue';
  /** Bytes of a request. Default 1 MiB. */
  maxBodyBytes?: number;
  /** How a human decides on a call that waits. Default: with the command line, or over HTTP. */
  howToApprove?(runId: string): string;
}

export interface ChatContext {
  /**
   * Starts the run in place of `agent.run`: under another budget, for a tenant, or not at all by throwing. The handle comes in an object,
   * since it is itself a promise, and at once: events that come before are not told.
   */
  start?(task: TaskInput, options: RunOptions): { run: RunHandle } | Promise<{ run: RunHandle }>;
  /** Cancels the run whatever its client does. */
  signal?: AbortSignal;
}

/** Answers one `POST` of a chat completion request; never rejects. */
export type ChatHandler = (request: Request, context?: ChatContext) => Promise<Response>;

/** The handler of `POST /v1/chat/completions` for an agent, streaming or not. */
export function chatCompletions(options: ChatOptions): ChatHandler {
  return async (request, context = {}) => {
    try {
      return await answer(request, options, context);
    } catch (error) {
      return chatErrorResponse(error);
    }
  };
}

/** The body of `GET /v1/models`. */
export function modelList(models: readonly string[]): {
  object: 'list';
  data: { id: string; object: 'model'; created: number; owned_by: string }[];
} {
  return { object: 'list', data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'assay' })) };
}

async function answer(request: Request, options: ChatOptions, context: ChatContext): Promise<Response> {
  if (request.method !== 'POST')
    throw new ChatError('A chat completion is asked for with POST.', { status: 405, code: 'method_not_allowed' });
  const { model = 'assay', sampling = 'refuse', onDisconnect = 'cancel' } = options;
  const limits = { ...defaultServerLimits, ...(options.maxBodyBytes && { bodyBytes: options.maxBodyBytes }) };
  const asked = readChatRequest(parsedBody(await bodyText(request, limits)), { model, sampling });
  const signals = onDisconnect === 'cancel' ? [request.signal] : [];
  if (context.signal) signals.push(context.signal);
  const start = context.start ?? ((task, more) => ({ run: options.agent.run(task, more) }));
  const { run } = await start(asked.task, { signal: AbortSignal.any(signals) });
  const followed = new Followed(run);
  const head = { id: `chatcmpl-${run.id}`, created: Math.floor(Date.now() / 1000), model: asked.model };
  const howToApprove = options.howToApprove ?? defaultApproval;
  const reply: Reply = { asked, head, followed, howToApprove };
  if (!asked.stream) return whole(reply);
  // A run that cannot be started is an error of the request, and tells so before the stream begins.
  await followed.begin();
  const gone = (): void => {
    if (onDisconnect === 'cancel') run.cancel().catch(() => {});
  };
  return new Response(frameStream(frames(reply), gone), { headers: eventStreamHeaders });
}

interface Reply {
  asked: ChatRequest;
  head: ChatHead;
  followed: Followed;
  howToApprove(runId: string): string;
}

/** A run with its events, of which those about approvals are kept. */
class Followed {
  readonly #run: RunHandle;
  readonly #events: AsyncIterator<RunEvent>;
  readonly #approvals: RunEvent[] = [];

  constructor(run: RunHandle) {
    this.#run = run;
    this.#events = run[Symbol.asyncIterator]();
  }

  /** Resolves when the run is written; rejects when it could not be started. */
  begin(): Promise<void> {
    return this.#run.begun;
  }

  async *progress(): AsyncGenerator<string> {
    try {
      for (let step = await this.#events.next(); !step.done; step = await this.#events.next()) {
        const { value: event } = step;
        if (event.type === 'approval.requested' || event.type === 'approval.decided') this.#approvals.push(event);
        const text = progressText(event);
        if (text !== undefined) yield text;
      }
    } finally {
      await this.#events.return?.();
    }
  }

  async ending(): Promise<{ result: Result; waiting: WaitingCall[] }> {
    const result = await this.#run.result;
    const isWaiting = result.status === 'awaiting_approval';
    return { result, waiting: isWaiting ? waitingCalls({ state: 'running', waitingFor: [] }, this.#approvals) : [] };
  }
}

async function whole({ asked, head, followed, howToApprove }: Reply): Promise<Response> {
  for await (const _ of followed.progress());
  const { result, waiting } = await followed.ending();
  const reply = replyOf(result, asked, waitingMessage(result.runId, waiting, howToApprove));
  const ending = { usage: usageOf(result), assay: extensionOf(result, asked, waiting) };
  return Response.json(completionOf(head, reply, ending));
}

async function* frames({ asked, head, followed, howToApprove }: Reply): AsyncGenerator<string> {
  const { includeUsage } = asked;
  try {
    yield eventFrame(chunkOf(head, { role: 'assistant', content: '' }, { includeUsage }));
    for await (const text of followed.progress()) yield commentFrame(text);
    const { result, waiting } = await followed.ending();
    const { message, finishReason } = replyOf(result, asked, waitingMessage(result.runId, waiting, howToApprove));
    yield eventFrame(chunkOf(head, message, { includeUsage }));
    yield eventFrame(chunkOf(head, {}, { finishReason, includeUsage, assay: extensionOf(result, asked, waiting) }));
    if (includeUsage) yield eventFrame(usageChunk(head, usageOf(result)));
    yield doneFrame;
  } catch (error) {
    yield eventFrame(await chatErrorBody(error));
  }
}

function waitingMessage(runId: string, waiting: readonly WaitingCall[], howToApprove: (id: string) => string): string {
  return [
    'There is no answer yet: a human has to decide on what the agent wants to do.',
    waitingText(waiting),
    `${howToApprove(runId)}\nrun: ${runId}`,
  ].join('\n\n');
}

function defaultApproval(runId: string): string {
  return `Decide with \`assay approve ${runId}\` or \`assay deny ${runId}\`, or over HTTP with POST /v1/runs/${runId}/approvals/CALL/approve or deny; then GET /v1/runs/${runId} has the answer.`;
}
