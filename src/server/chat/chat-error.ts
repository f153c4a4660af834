import { UsageError } from '../../core/errors.ts';
import { Problem, problemOf } from '../problem.ts';

/** An error in OpenAI's shape. */
export interface ChatErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** A request that is answered with an error. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;

  constructor(message: string, options: { status?: number; param?: string | undefined; code?: string } = {}) {
    super(message);
    this.status = options.status ?? 400;
    this.param = options.param ?? null;
    this.code = options.code ?? null;
  }
}

/** What was thrown, in OpenAI's shape: the words of a refusal, and nothing of the inside of what nobody foresaw. */
export async function chatErrorBody(error: unknown): Promise<ChatErrorBody> {
  const { status, message, param, code } = await chatErrorOf(error);
  return { error: { message, type: typeOf(status), param, code } };
}

/** The same as a response. */
export async function chatErrorResponse(error: unknown): Promise<Response> {
  const { status } = await chatErrorOf(error);
  const retryAfter = error instanceof Problem ? error.toResponse().headers.get('retry-after') : null;
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
  return Response.json(await chatErrorBody(error), { status, headers });
}

async function chatErrorOf(error: unknown): Promise<ChatError> {
  if (error instanceof ChatError) return error;
  if (error instanceof UsageError) return new ChatError(error.message);
  const problem = problemOf(error);
  const body: unknown = await problem.toResponse().json();
  const { detail, remedy, type } = Object(body) as Record<string, unknown>;
  const code = String(type).replace(/^.*:/, '');
  return new ChatError(`${detail} ${remedy}`, { status: problem.status, code });
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
