/** Errors as `application/problem+json` (RFC 9457): what happened, why, and the remedy; never a stack. */
import { messageOf, StateError, UsageError } from '../core/errors.ts';

export interface ProblemOptions {
  status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 413 | 415 | 422 | 429 | 500 | 503;
  /** The last part of the problem's type, `urn:assay:problem:CODE`. */
  code: string;
  title: string;
  detail: string;
  remedy: string;
  /** Seconds after which the same request may succeed. */
  retryAfter?: number | undefined;
  /** What is wrong where, as JSON pointers into the body. */
  errors?: readonly { pointer: string; detail: string }[] | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  cause?: unknown;
}

/** A refusal that is answered as it stands. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: ProblemOptions['status'];
  readonly #options: ProblemOptions;

  constructor(options: ProblemOptions) {
    super(options.detail, { cause: options.cause });
    this.status = options.status;
    this.#options = options;
  }

  toResponse(): Response {
    const { status, code, title, detail, remedy, retryAfter, errors, headers } = this.#options;
    const body = { type: `urn:assay:problem:${code}`, title, status, detail, remedy, ...(errors && { errors }) };
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        'content-type': 'application/problem+json',
        ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
        ...headers,
      },
    });
  }
}

/** Any thrown value as a problem. What a client cannot mend tells nothing of the inside; that is in `cause`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof UsageError) {
    return new Problem({
      status: 422,
      code: 'cannot-be',
      title: 'The request cannot be carried out',
      detail: messageOf(error),
      remedy: 'Correct the request as the detail says.',
    });
  }
  if (error instanceof StateError) {
    // Its own words name files and processes of the server.
    return new Problem({
      status: 409,
      code: 'state',
      title: 'The stored state does not allow it now',
      detail:
        'The run is at work in another process, or its store cannot be used at this moment; the operator was told.',
      remedy: 'Look at the run, and send the request again after the time in Retry-After.',
      retryAfter: 5,
      cause: error,
    });
  }
  return new Problem({
    status: 500,
    code: 'internal',
    title: 'The server failed',
    detail: 'The request met an error in the server; it was reported to the operator.',
    remedy: 'Try again; if it happens again, tell the operator the time of the request.',
    cause: error,
  });
}

/** The same words for what is not there and for what belongs to somebody else. */
export function notFound(what: string): Problem {
  return new Problem({
    status: 404,
    code: 'not-found',
    title: 'Not found',
    detail: `There is no ${what} that this token may see.`,
    remedy: 'Check the address; GET /v1/runs, /v1/approvals and /v1/lessons list what there is.',
  });
}
