import { APICallError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterruptedStreamError, ModelCallError, StreamedProviderError } from './classify-error.ts';
import { type RetryOptions, withRetry } from './retry.ts';

const start = Date.parse('2031-03-09T10:00:00Z');

function httpError(statusCode: number, responseHeaders: Record<string, string> = {}, responseBody = ''): APICallError {
  return new APICallError({
    message: `status ${statusCode}`,
    url: 'http://127.0.0.1:1/v1/chat',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody,
  });
}

/** Fails with the errors in order, then gives 'done'; time passes only by waiting. */
async function attempt(errors: unknown[], options: Partial<RetryOptions> = {}) {
  const waits: number[] = [];
  const whys: string[] = [];
  let now = start;
  let calls = 0;
  const outcome = await withRetry(
    async (number) => {
      calls++;
      expect(number).toBe(calls);
      const error = errors[number - 1];
      if (error !== undefined) throw error;
      return 'done';
    },
    {
      signal: new AbortController().signal,
      deadline: Number.POSITIVE_INFINITY,
      now: () => now,
      random: () => 0.5,
      sleep: async (ms) => {
        now += ms;
      },
      onRetry: ({ waitMs, why }) => {
        waits.push(waitMs);
        whys.push(why);
      },
      ...options,
    },
  ).catch((error: unknown) => error);
  return { outcome, waits, whys, calls };
}

describe('what is tried again', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const retried: [string, unknown][] = [
    ...[408, 409, 429, 500, 502, 503, 504, 529].map((status): [string, unknown] => [
      `HTTP ${status}`,
      httpError(status),
    ]),
    ['a reset connection', new TypeError('fetch failed', { cause: reset })],
    ['a fetch that failed without a code', new TypeError('fetch failed')],
    ['a cut stream', new InterruptedStreamError('cut')],
    ['an overload event in a stream', new StreamedProviderError({ type: 'overloaded_error', message: 'busy' })],
    ['a rate limit event in a stream', new StreamedProviderError({ error: { code: 'rate_limit_exceeded' } })],
    ['an unnamed fault event in a stream', new StreamedProviderError({ message: 'Something broke.' })],
  ];
  it.each(retried)('%s', async (_name, error) => {
    expect(await attempt([error])).toMatchObject({ outcome: 'done', calls: 2 });
  });

  const refused: [string, unknown][] = [
    ...[400, 401, 403, 404, 413, 422].map((status): [string, unknown] => [`HTTP ${status}`, httpError(status)]),
    ['an abort', new DOMException('stopped', 'AbortError')],
    ['a content filter', httpError(400, {}, '{"error":{"code":"content_filter","message":"no"}}')],
    ['an account without credit', httpError(429, {}, '{"error":{"code":"insufficient_quota","message":"no"}}')],
    ['a bug', new TypeError('x is not a function')],
    ['a bad request event in a stream', new StreamedProviderError({ type: 'invalid_request_error', message: 'no' })],
    [
      'a call another layer gave up',
      new ModelCallError({ retryable: true, kind: 'server', message: 'x' }, { why: '', cause: 0 }),
    ],
  ];
  it.each(refused)('not %s, which is passed on as it is', async (_name, error) => {
    expect(await attempt([error])).toMatchObject({ outcome: error, calls: 1, waits: [] });
  });

  it('gives up after the allowed attempts, says so, and is not tried again by an outer layer', async () => {
    const inner = await attempt([1, 2, 3, 4, 5].map(() => httpError(500)));
    expect(inner.calls).toBe(4);
    expect(inner.outcome).toBeInstanceOf(ModelCallError);
    expect((inner.outcome as Error).message).toContain('Given up after 4 attempts');
    expect((await attempt([inner.outcome])).calls).toBe(1);
  });
});

describe('how long it waits', () => {
  it.each([
    [{ 'retry-after': '12' }, 12_000],
    [{ 'Retry-After': '0' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '90' }, 250],
    [{ 'retry-after': new Date(start + 45_000).toUTCString() }, 45_000],
    [{ 'retry-after': 'Sun Mar  9 10:00:20 2031' }, 20_000],
  ])('exactly what the server asks for: %j', async (headers, expected) => {
    expect((await attempt([httpError(429, headers)])).waits).toEqual([expected]);
  });

  it('what Gemini asks for in the body', async () => {
    const body = '{"error":{"code":429,"message":"quota","details":[{"retryDelay":"31.5s"}]}}';
    expect((await attempt([httpError(429, {}, body)])).waits).toEqual([31_500]);
  });

  it.each([
    '-9',
    '',
    'in a bit',
    'maybe 8',
    '0x10',
    '1e3',
    new Date(start - 60_000).toUTCString(),
    'Mon, nonsense 99:99:99',
  ])('a backoff when Retry-After is %j', async (value) => {
    expect((await attempt([httpError(503, { 'retry-after': value })])).waits).toEqual([375]);
  });

  it('doubles up to 30 s with jitter', async () => {
    const errors = Array.from({ length: 9 }, () => httpError(500));
    const { waits } = await attempt(errors, { maxAttempts: 10 });
    expect(waits).toEqual([375, 750, 1500, 3000, 6000, 12_000, 22_500, 22_500, 22_500]);
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (random) => {
        const [wait = 0] = (await attempt([httpError(500)], { random: () => random })).waits;
        expect(wait).toBeGreaterThanOrEqual(250);
        expect(wait).toBeLessThanOrEqual(500);
      }),
    );
  });

  it('fails at once and names the time when the server asks for hours', async () => {
    const { outcome, waits, calls } = await attempt([httpError(429, { 'retry-after': '7200' })]);
    expect({ waits, calls }).toEqual({ waits: [], calls: 1 });
    expect(outcome).toMatchObject({ retryAt: start + 7_200_000 });
    expect((outcome as Error).message).toContain('2031-03-09T12:00:00.000Z');
  });

  it('fails at once when the wait would end after the deadline', async () => {
    const { outcome, waits } = await attempt([httpError(429, { 'retry-after': '20' })], { deadline: start + 19_999 });
    expect(waits).toEqual([]);
    expect(outcome).toMatchObject({ name: 'ModelCallError', retryAt: start + 20_000 });
    expect((await attempt([httpError(429, { 'retry-after': '20' })], { deadline: start + 20_000 })).outcome).toBe(
      'done',
    );
  });

  it('says why before each wait', async () => {
    const { whys } = await attempt([httpError(529), new InterruptedStreamError('cut off')]);
    expect(whys).toEqual([expect.stringContaining('overloaded'), 'cut off']);
  });
});

describe('abort', () => {
  it('ends a real wait at once with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const began = performance.now();
    const waiting = withRetry(() => Promise.reject(httpError(429, { 'retry-after': '60' })), {
      signal: controller.signal,
      deadline: Number.POSITIVE_INFINITY,
      onRetry: () => setTimeout(() => controller.abort(reason), 10),
    });
    await expect(waiting).rejects.toBe(reason);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('in the middle of a call is not tried again, whatever the call rejects with', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    let calls = 0;
    const call = async (): Promise<never> => {
      calls++;
      controller.abort(reason);
      throw new RangeError('fell over while stopping');
    };
    const options = { signal: controller.signal, deadline: Number.POSITIVE_INFINITY };
    await expect(withRetry(call, options)).rejects.toBe(reason);
    expect(calls).toBe(1);
  });

  it('makes no call when it came before', async () => {
    const reason = new Error('enough');
    expect(await attempt([], { signal: AbortSignal.abort(reason) })).toMatchObject({ outcome: reason, calls: 0 });
  });
});
