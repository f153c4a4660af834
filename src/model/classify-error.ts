import {
  APICallError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  NoSuchModelError,
  TypeValidationError,
} from '@ai-sdk/provider';
import { CancelledError, messageOf, StateError, UsageError } from '../core/errors.ts';
import { explain, type FailureFacts, type FailureKind, withoutSecrets } from './explain-failure.ts';
import { ContextOverflowError, LocalModelCrashError } from './local/local-errors.ts';

/** What an error of a model call means. `message` is one paragraph with the remedy and without secrets. */
export interface ModelFailure {
  retryable: boolean;
  kind: FailureKind;
  message: string;
  /** The HTTP status, real or implied by an error event inside a stream. */
  status?: number;
}

/** The connection ended before the model had finished; what had arrived is discarded. */
export class InterruptedStreamError extends Error {
  override readonly name = 'InterruptedStreamError';
}

/** An error event inside a stream that began well. `detail` is what the provider reported. */
export class StreamedProviderError extends Error {
  override readonly name = 'StreamedProviderError';
  readonly detail: unknown;
  constructor(detail: unknown) {
    super(readDetail(detail).text);
    this.detail = detail;
  }
}

/** A model call that was given up, with what its last failure means. Not to be tried again by an outer layer. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly failure: ModelFailure;
  /** When a new call makes sense, in milliseconds since the epoch, if the provider said so. */
  readonly retryAt: number | undefined;
  constructor(failure: ModelFailure, options: { why: string; retryAt?: number | undefined; cause: unknown }) {
    const message = `${failure.message} ${options.why}`;
    super(message, { cause: options.cause });
    this.failure = { ...failure, retryable: false, message };
    this.retryAt = options.retryAt;
  }
}

/** What happened in a model call, whether another try makes sense, and what a human can do about it. */
export function classifyError(error: unknown): ModelFailure {
  if (error instanceof ModelCallError) return error.failure;
  if (error instanceof InterruptedStreamError) return { retryable: true, kind: 'interrupted', message: error.message };
  if (error instanceof LocalModelCrashError) return { retryable: true, kind: 'interrupted', message: error.message };
  if (error instanceof ContextOverflowError) return { retryable: false, kind: 'bad-request', message: error.message };
  if (isAbort(error))
    return { retryable: false, kind: 'aborted', message: 'The call was stopped before it had an answer.' };
  if (error instanceof UsageError || error instanceof StateError) return ownWords(error);
  if (LoadAPIKeyError.isInstance(error)) return { ...ownWords(error), kind: 'auth' };
  if (NoSuchModelError.isInstance(error)) return failure('not-found', { text: error.message, model: error.modelId });
  const told = toldInstead(error);
  return told === undefined ? byFacts(error, factsOf(error)) : classifyError(new StreamedProviderError(told));
}

/** The error a server sent in place of an answer, after a 200 and in a shape that the provider package does not know. */
function toldInstead(error: unknown): unknown {
  const failed = APICallError.isInstance(error) && (error.statusCode ?? 400) < 400;
  const sent = failed ? parsed(error.responseBody) : TypeValidationError.isInstance(error) ? error.value : undefined;
  return fieldOf(sent, 'error') ? sent : undefined;
}

function byFacts(error: unknown, facts: FailureFacts): ModelFailure {
  if (facts.status !== undefined && facts.status >= 400) return byStatus(facts.status, facts);
  const code = connectionCode(error);
  if (code) return failure('connection', { ...facts, code }, lasting.test(code) ? 'never' : 'later');
  if (error instanceof StreamedProviderError) return byWords(facts);
  const unanswered = APICallError.isInstance(error) && error.statusCode === undefined && error.isRetryable;
  return failure(unanswered ? 'connection' : 'unknown', facts);
}

const retried: ReadonlySet<FailureKind> = new Set(['rate-limit', 'overloaded', 'server', 'connection']);
const transientCodes =
  /^(ECONN|EPIPE$|ETIMEDOUT$|EAI_AGAIN$|ENETUNREACH$|EHOSTUNREACH$|UND_ERR_(?!ABORTED|INVALID_ARG))/;
/** Connection errors that a second try does not mend: no such host, no such certificate. */
const lasting = /^(ENOTFOUND|ERR_INVALID_URL)$|CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL/;
const quota = /insufficient_quota|billing|credit/i;
const filter = /content_filter|content_policy|responsibleai/i;

function failure(kind: FailureKind, facts: FailureFacts, retry: 'later' | 'never' = 'later'): ModelFailure {
  return {
    retryable: retry === 'later' && retried.has(kind),
    kind,
    message: explain(kind, facts),
    ...(facts.status !== undefined && { status: facts.status }),
  };
}

/** For errors of ours and of a package's set-up, whose messages already name the remedy. */
function ownWords(error: Error): ModelFailure {
  return { retryable: false, kind: 'unknown', message: withoutSecrets(error.message) };
}

/** Groq checks what its models write, and refuses it with 400: another try may be written better. */
const badlyWritten = /tool_use_failed|json_validate_failed/;

function byStatus(status: number, facts: FailureFacts): ModelFailure {
  const words = facts.words ?? '';
  if (badlyWritten.test(words)) return failure('server', facts);
  if (filter.test(words)) return failure('content-filter', facts);
  if (status === 429) return failure('rate-limit', facts, quota.test(words) ? 'never' : 'later');
  if (status === 503 || status === 529) return failure('overloaded', facts);
  if (status === 408 || status === 409 || status >= 500) return failure('server', facts);
  if (status === 401 || status === 403) return failure('auth', facts);
  return failure(status === 404 ? 'not-found' : 'bad-request', facts);
}

const wordKinds: [RegExp, FailureKind][] = [
  [filter, 'content-filter'],
  [/overload|unavailable|capacity/i, 'overloaded'],
  [/rate.?limit|too.?many.?requests|resource.?exhausted|throttl|quota/i, 'rate-limit'],
  [/authentication|permission|api.?key|unauthori[sz]ed|forbidden/i, 'auth'],
  [/not.?found/i, 'not-found'],
  [/invalid|bad.?request|context.?length|too.?large/i, 'bad-request'],
];

/** An error event without a status: the server had accepted the request, so what is not named is a fault of the server. */
function byWords(facts: FailureFacts): ModelFailure {
  const words = facts.words || facts.text;
  const kind = wordKinds.find(([pattern]) => pattern.test(words))?.[1] ?? 'server';
  return failure(kind, facts, quota.test(words) ? 'never' : 'later');
}

function isAbort(error: unknown): boolean {
  return error instanceof CancelledError || (error instanceof Error && error.name === 'AbortError');
}

/** True for the error by which a provider package says that its stream had no finish reason. */
export function saysUnfinished(error: unknown): boolean {
  return InvalidResponseDataError.isInstance(error) && /without a finish reason/i.test(error.message);
}

/** The first network code in the chain of causes; a bare `fetch failed` or a foreign timeout has a code of ours. */
export function connectionCode(error: unknown): string | undefined {
  let found: string | undefined;
  let here = error;
  for (let depth = 0; here instanceof Error && depth < 8; depth++) {
    const code: unknown = Reflect.get(here, 'code');
    if (typeof code === 'string' && (transientCodes.test(code) || lasting.test(code))) return code;
    if (/^(fetch failed|failed to fetch|terminated)$/i.test(here.message)) found ??= 'FETCH_FAILED';
    if (here.name === 'TimeoutError') found ??= 'TIMEOUT';
    here = here.cause;
  }
  return found;
}

function factsOf(error: unknown): FailureFacts {
  if (APICallError.isInstance(error)) {
    const { text, words } = readDetail(parsed(error.responseBody) ?? error.data);
    const model = fieldOf(error.requestBodyValues, 'model');
    return {
      text: text || error.message,
      words,
      status: error.statusCode,
      url: publicUrl(error.url),
      model: typeof model === 'string' ? model : undefined,
    };
  }
  if (error instanceof StreamedProviderError) return readDetail(error.detail);
  return { text: messageOf(error) };
}

/** Message, words and status out of the shapes in which providers report an error, nested or flat. */
function readDetail(detail: unknown): { text: string; words: string; status?: number } {
  if (typeof detail === 'string') return { text: detail, words: detail };
  const inner = fieldOf(detail, 'error');
  if (inner !== undefined && inner !== null) return readDetail(inner);
  const [message, type, code, status] = ['message', 'type', 'code', 'status'].map((name) => fieldOf(detail, name));
  const words = [type, code, status].filter((word) => typeof word === 'string').join(' ');
  const number = [fieldOf(detail, 'statusCode'), code, status].map(Number).find((value) => value >= 400 && value < 600);
  const text = typeof message === 'string' && message !== '' ? message : words;
  return { text, words, ...(number !== undefined && { status: number }) };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function parsed(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

function publicUrl(url: string): string | undefined {
  const parsedUrl = URL.parse(url);
  return parsedUrl?.protocol.startsWith('http') ? `${parsedUrl.origin}${parsedUrl.pathname}` : undefined;
}
