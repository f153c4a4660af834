import { APICallError, LoadAPIKeyError, NoSuchModelError, TypeValidationError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { CancelledError, UsageError } from '../core/errors.ts';
import { classifyError, StreamedProviderError } from './classify-error.ts';

const secret = 'sk-live-0123456789abcdefghij';

function httpError(options: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({
    message: 'failed',
    url: `https://user:pw@models.example/v1/chat?key=${secret}`,
    requestBodyValues: { model: 'tiny-9' },
    responseHeaders: { authorization: `Bearer ${secret}` },
    ...options,
  });
}

describe('classifyError', () => {
  it.each([
    [401, '{"error":{"message":"bad key"}}', 'auth', 'API key'],
    [403, '', 'auth', 'allowed to use this model'],
    [404, '{"error":{"message":"nope"}}', 'not-found', '"tiny-9"'],
    [400, '{"error":{"code":"context_length_exceeded","message":"too big"}}', 'bad-request', 'larger context'],
    [400, '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}', 'bad-request', 'larger context'],
    [422, '{"detail":"x"}', 'bad-request', 'tools, response format'],
    [429, '{"error":{"message":"slow down"}}', 'rate-limit', 'Wait'],
    [429, '{"error":{"type":"insufficient_quota","message":"pay"}}', 'rate-limit', 'Add credit'],
    [503, '', 'overloaded', 'Wait'],
    [529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'overloaded', 'Overloaded'],
    [502, '<html>', 'server', 'Try again later'],
    [400, '{"error":{"code":"content_filter","message":"no"}}', 'content-filter', 'Rephrase'],
    [200, '<html>', 'unknown', 'base URL'],
  ])('HTTP %i %s is %s and names the remedy', (statusCode, responseBody, kind, remedy) => {
    const failure = classifyError(httpError({ statusCode, responseBody }));
    expect(failure).toMatchObject({ kind, status: statusCode });
    expect(failure.message).toContain(remedy);
    expect(failure.message).not.toMatch(/\n/);
  });

  it('a call that Groq refuses because its model wrote it badly is worth another try', () => {
    const error = { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' };
    // Its package passes on less than the server said.
    const { code: _code, ...data } = error;
    const failure = classifyError(
      httpError({ statusCode: 400, responseBody: JSON.stringify({ error }), data: { error: data } }),
    );
    expect(failure).toMatchObject({ kind: 'server', retryable: true });
  });

  it('never shows a key, whoever wrote it into the error', () => {
    const body = JSON.stringify({ error: { message: `Incorrect key ${secret}; Authorization: Bearer ${secret}` } });
    const { message } = classifyError(httpError({ statusCode: 401, responseBody: body }));
    expect(message).toContain('https://models.example/v1/chat');
    expect(message).not.toContain('0123456789abcdefghij');
    expect(message).not.toContain('pw@');
    expect(classifyError(new Error(`boom at https://a:b@host/x?api_key=${secret}`)).message).not.toMatch(/a:b@|0123/);
  });

  it.each([
    ['ECONNREFUSED', true, 'Start the server'],
    ['ENOTFOUND', false, 'host name'],
    ['UND_ERR_CONNECT_TIMEOUT', true, 'Check the network'],
    ['SELF_SIGNED_CERT_IN_CHAIN', false, 'certificate'],
  ])('finds %s in the chain of causes', (code, retryable, remedy) => {
    const cause = Object.assign(new Error('low'), { code });
    const fetchFailed = new TypeError('fetch failed', { cause });
    for (const error of [fetchFailed, httpError({ cause: fetchFailed, isRetryable: true })]) {
      const failure = classifyError(error);
      expect(failure).toMatchObject({ kind: 'connection', retryable });
      expect(failure.message).toContain(remedy);
    }
  });

  it.each([
    [{ message: 'm', type: 'x', code: 'y', statusCode: 529 }, 'overloaded'],
    [{ message: 'm', code: 429 }, 'rate-limit'],
    [{ message: 'm', code: '503' }, 'overloaded'],
    [{ message: 'm', status: 'RESOURCE_EXHAUSTED' }, 'rate-limit'],
    [{ type: 'error', error: { type: 'authentication_error', message: 'm' } }, 'auth'],
    ['overloaded', 'overloaded'],
    [null, 'server'],
    [{ message: 'm', type: 'server_error' }, 'server'],
  ])('reads the error event %j as %s', (detail, kind) => {
    expect(classifyError(new StreamedProviderError(detail)).kind).toBe(kind);
  });

  it.each([
    [{ error: { type: 'overloaded_error' } }, 'overloaded', true],
    [{ error: 'the engine is at capacity' }, 'overloaded', true],
    [{ error: { code: 502, metadata: {} } }, 'server', true],
    [{ error: { type: 'authentication_error' } }, 'auth', false],
  ])('reads the error %j that came in place of an answer as %s', (body, kind, retryable) => {
    const unknownFrame = new TypeValidationError({ value: body, cause: new Error('no such shape') });
    const unknownBody = httpError({ statusCode: 200, responseBody: JSON.stringify(body), cause: unknownFrame });
    for (const error of [unknownFrame, unknownBody]) expect(classifyError(error)).toMatchObject({ kind, retryable });
  });

  it('keeps messages that already name their remedy', () => {
    const usage = new UsageError('line one\nline two');
    expect(classifyError(usage)).toEqual({ retryable: false, kind: 'unknown', message: usage.message });
    expect(classifyError(new LoadAPIKeyError({ message: 'set ACME_KEY' }))).toMatchObject({
      kind: 'auth',
      message: 'set ACME_KEY',
    });
    expect(classifyError(new NoSuchModelError({ modelId: 'zed', modelType: 'languageModel' }))).toMatchObject({
      kind: 'not-found',
    });
    expect(classifyError(new CancelledError())).toMatchObject({ kind: 'aborted', retryable: false });
    expect(classifyError(undefined).message).not.toBe('');
  });

  it('shortens what a provider says at length', () => {
    expect(
      classifyError(httpError({ statusCode: 500, responseBody: `{"message":"${'long '.repeat(900)}"}` })).message
        .length,
    ).toBeLessThan(700);
  });
});
