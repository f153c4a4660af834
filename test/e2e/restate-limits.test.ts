import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import * as sdk from '@restatedev/restate-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { limitModel } from '../../src/model/rate-limit/limit-model.ts';
import { inProcessLimits } from '../../src/model/rate-limit/rate-limiter.ts';
import type { LimitedModel, Passage, ProviderLimiter, ProviderLimits } from '../../src/model/rate-limit.ts';
import { limitsService, type RestateLimitsOptions, restateLimits } from '../../src/runtime/restate-limits.ts';
import { noRestate, type RestateServer, startRestate } from '../../src/testing/restate-server.ts';

const reason = noRestate();
const never = new AbortController().signal;
const model: LimitedModel = { provider: 'test.chat', modelId: 'small' };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether a call got in by now, and when. */
function tries(limiter: ProviderLimiter, signal = never): { at(): number; passage: Promise<Passage> } {
  let at = Number.POSITIVE_INFINITY;
  const passage = limiter.enter(model, 0, signal).then((entered) => {
    at = performance.now();
    return entered;
  });
  return { at: () => at, passage };
}

/** What every limiter has to do, whoever keeps its limits. `open` gives limiters that share theirs within one test. */
function limiterContract(open: (limits: ProviderLimits) => ProviderLimiter): void {
  test('knows which models it limits, whatever their interface is called', () => {
    const limiter = open({ test: { concurrency: 1 }, 'other:large': { concurrency: 1 } });
    expect([model, { ...model, provider: 'test' }].map((one) => limiter.limits(one))).toEqual([true, true]);
    expect(limiter.limits({ provider: 'other', modelId: 'large' })).toBe(true);
    expect(limiter.limits({ provider: 'other', modelId: 'small' })).toBe(false);
    expect(() => open({ test: { requestsPerMinute: 0 } })).toThrow(UsageError);
  });

  test('lets a burst through, and then one after the other at the rate', async () => {
    const limiter = open({ test: { requestsPerMinute: 600, burstMs: 300 } });
    const began = performance.now();
    const calls = Array.from({ length: 8 }, () => tries(limiter));
    for (const { passage } of calls) (await passage).leave(0);
    // Three at once, and five at one in 100 ms; a timer may be early by a millisecond.
    const last = Math.max(...calls.map(({ at }) => at() - began));
    expect(last).toBeGreaterThanOrEqual(499);
    expect(last).toBeLessThan(2_500);
  });

  test('lets no more in at once than there are places', async () => {
    const limiter = open({ test: { concurrency: 2 } });
    let inside = 0;
    let most = 0;
    const call = async (): Promise<void> => {
      const passage = await limiter.enter(model, 0, never);
      most = Math.max(most, ++inside);
      await pause(20);
      inside--;
      passage.leave(0);
    };
    await Promise.all(Array.from({ length: 7 }, call));
    expect(most).toBe(2);
  });

  test('holds a call to the limit of its provider and to that of its model', async () => {
    const limiter = open({ test: { concurrency: 5 }, 'test:small': { concurrency: 1 } });
    await limiter.enter(model, 0, never);
    await limiter.enter({ ...model, modelId: 'large' }, 0, never);
    const second = tries(limiter);
    await pause(150);
    expect(second.at()).toBe(Number.POSITIVE_INFINITY);
    second.passage.catch(() => undefined);
    await limiter.close?.();
  });

  test('counts the tokens that were used, not those that were assumed', async () => {
    const limiter = open({ test: { tokensPerMinute: 60_000 } });
    const began = performance.now();
    (await limiter.enter(model, 10, never)).leave(60_700);
    await pause(100);
    await limiter.enter(model, 100, never);
    // 700 tokens were not there and 100 are wanted, at one a millisecond.
    expect(performance.now() - began).toBeGreaterThanOrEqual(799);
  });

  test('rejects with the signal’s reason, and keeps neither the place nor the turn', async () => {
    const limiter = open({ test: { concurrency: 1 } });
    const first = await limiter.enter(model, 0, never);
    const stop = new AbortController();
    const second = tries(limiter, stop.signal);
    const third = tries(limiter);
    await pause(60);
    stop.abort(new Error('no longer'));
    await expect(second.passage).rejects.toBe(stop.signal.reason);
    first.leave(0);
    first.leave(0);
    await third.passage;

    const rated = open({ 'test:small': { requestsPerMinute: 60, burstMs: 2_000 } });
    await rated.enter(model, 0, never);
    await rated.enter(model, 0, never);
    const given = new AbortController();
    const waits = [tries(rated, given.signal), tries(rated, given.signal), tries(rated, given.signal)];
    await pause(60);
    given.abort(new Error('nor these'));
    for (const { passage } of waits) await expect(passage).rejects.toThrow('nor these');
    await pause(200);
    const began = performance.now();
    await rated.enter(model, 0, never);
    // Three seconds after the first with one turn given back, as the bucket holds two; else it would be four.
    expect(performance.now() - began).toBeLessThan(3_400);
  });

  test('holds back who waits and who comes when the provider asks for it', async () => {
    const limiter = open({ test: { requestsPerMinute: 600, burstMs: 100 } });
    const began = performance.now();
    const passage = await limiter.enter(model, 0, never);
    const waiting = tries(limiter);
    await pause(20);
    passage.hold(700);
    await pause(20);
    const late = tries(limiter);
    await Promise.all([waiting.passage, late.passage]);
    expect(waiting.at() - began).toBeGreaterThanOrEqual(699);
    expect(late.at() - waiting.at()).toBeGreaterThanOrEqual(60);
    expect(late.at() - began).toBeLessThan(3_000);
  });
}

describe('the limiter contract, in one process', () => {
  limiterContract(inProcessLimits);
});

describe.skipIf(reason !== undefined)(`limits in Restate${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let server: RestateServer;
  let worker: http2.Http2Server;
  let sessions: http2.ServerHttp2Session[] = [];
  let place = 0;
  let opened: ProviderLimiter[] = [];
  let children: ChildProcess[] = [];
  let warnings: string[] = [];

  const namespace = (): string => `place-${place}`;
  const announce = async (): Promise<void> => {
    const { port } = worker.address() as AddressInfo;
    const response = await fetch(`${server.admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
    });
    expect(response.status).toBeLessThan(300);
  };
  const open = (limits: ProviderLimits, options: Partial<RestateLimitsOptions> = {}): Required<ProviderLimiter> => {
    const own = { ingress: server.ingress, namespace: namespace(), requestMs: 3_000 };
    const limiter = restateLimits({ ...own, limits, onWarning: (message) => warnings.push(message), ...options });
    opened.push(limiter);
    return limiter;
  };

  beforeAll(async () => {
    server = await startRestate();
    // One service for every test, so that none knows of the state of another.
    const services = Array.from({ length: 30 }, (_, index) => limitsService(sdk, `place-${index}`));
    worker = http2.createServer(sdk.createEndpointHandler({ services, logger: () => undefined }));
    worker.on('session', (session) => sessions.push(session));
    await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve));
    await announce();
  });
  beforeEach(() => {
    warnings = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const limiter of opened) await limiter.close?.();
    children = [];
    opened = [];
    place++;
  });
  afterAll(async () => {
    for (const session of sessions) session.destroy();
    sessions = [];
    await new Promise((resolve) => worker.close(resolve));
    await server.close();
  });

  describe('the limiter contract', () => {
    limiterContract(open);
  });

  /** A process whose calls take so long each, so many at once; it says when each began. */
  const startCaller = (limits: ProviderLimits, settings: { callMs: number; atOnce: number; leaseMs: number }) => {
    const script = `
      import { restateLimits } from './src/runtime/restate-limits.ts';
      const { options, callMs, atOnce } = JSON.parse(process.env.LIMITED_CALLER);
      const limiter = restateLimits(options);
      const call = async () => {
        for (;;) {
          const passage = await limiter.enter({ provider: 'test', modelId: 'small' }, 0, new AbortController().signal);
          process.stdout.write(Date.now() + '\\n');
          await new Promise((resolve) => setTimeout(resolve, callMs));
          passage.leave(0);
        }
      };
      for (let count = 0; count < atOnce; count++) void call();`;
    const options = { ingress: server.ingress, namespace: namespace(), limits, leaseMs: settings.leaseMs };
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LIMITED_CALLER: JSON.stringify({ ...settings, options }) },
    });
    children.push(child);
    const times: number[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => times.push(Number(line)));
    return { child, times, next: () => once(lines, 'line') };
  };

  test('three processes stay under a limit together, and use it, also when one is killed inside a call', async () => {
    const limits = { test: { requestsPerMinute: 600, burstMs: 500, concurrency: 6 } };
    const callers = [1, 2, 3].map(() => startCaller(limits, { callMs: 100, atOnce: 3, leaseMs: 1_000 }));
    await Promise.all(callers.map(({ next }) => next()));
    await pause(1_500);
    const [killed] = callers;
    await killed?.next();
    killed?.child.kill('SIGKILL');
    await pause(3_500);
    const times = callers.flatMap((caller) => caller.times).toSorted((a, b) => a - b);
    for (const [from, first] of times.entries()) {
      for (const [to, last] of times.entries()) {
        // Half a second for processes that are late to go when their turn has come.
        if (to > from) expect(to - from + 1).toBeLessThanOrEqual(5 + (last - first + 500) / 100);
      }
    }
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
    expect(times.length).toBeGreaterThan(5 + 10 * seconds * 0.7);
    for (const { times: own } of callers) expect(own.length).toBeGreaterThan(3);
  }, 15_000);

  test('a place is held while its process lives, and is free soon after that was killed', async () => {
    const limits = { test: { concurrency: 1 } };
    const leaseMs = 900;
    const caller = startCaller(limits, { callMs: 60_000, atOnce: 1, leaseMs });
    await caller.next();
    const other = tries(open(limits, { leaseMs }));
    await pause(leaseMs * 2);
    expect(other.at()).toBe(Number.POSITIVE_INFINITY);
    const killedAt = performance.now();
    caller.child.kill('SIGKILL');
    await other.passage;
    expect(other.at() - killedAt).toBeLessThan(leaseMs + 1_500);
  }, 15_000);

  test('a 429 that one worker sees holds back the others', async () => {
    const limits = { test: { requestsPerMinute: 6_000 } };
    const error = new APICallError({
      ...{ message: 'slow down', url: 'http://127.0.0.1:1', requestBodyValues: {}, statusCode: 429 },
      responseHeaders: { 'retry-after': '1' },
    });
    const refusing: LanguageModelV4 = {
      ...{ specificationVersion: 'v4', ...model, supportedUrls: {} },
      doGenerate: () => Promise.reject(error),
      doStream: () => Promise.reject(error),
    };
    const other = open(limits);
    await other.enter(model, 0, never);
    const began = performance.now();
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];
    const first = open(limits);
    await expect(limitModel(refusing, first).doGenerate({ prompt })).rejects.toBe(error);
    await first.close();
    await other.enter(model, 0, never);
    expect(performance.now() - began).toBeGreaterThanOrEqual(1_000);
  });

  test('while nobody serves the limits calls wait, or go out with one warning', async () => {
    const limits = { test: { requestsPerMinute: 6_000 } };
    const elsewhere = { namespace: 'nobody', requestMs: 300 };
    const stop = new AbortController();
    const waiting = tries(open(limits, elsewhere), stop.signal);
    await pause(300);
    expect(waiting.at()).toBe(Number.POSITIVE_INFINITY);
    expect(warnings).toEqual([
      expect.stringMatching(/\(404\).*Serve `limitsService` there.*Calls wait until then\.$/s),
    ]);
    stop.abort(new Error('enough'));
    await expect(waiting.passage).rejects.toThrow('enough');
    warnings.length = 0;
    const limiter = open(limits, { ...elsewhere, onUnavailable: 'open' });
    for (let count = 0; count < 3; count++) (await limiter.enter(model, 0, never)).leave(0);
    expect(warnings).toEqual([expect.stringMatching(/Until then calls go out unlimited\.$/)]);
  });

  test('a call waits for an engine that is away and goes on with it, and the limits are as they were', async () => {
    const limits = { test: { requestsPerMinute: 60, burstMs: 2_000 } };
    const limiter = open(limits);
    await limiter.enter(model, 0, never);
    await limiter.enter(model, 0, never);
    process.kill(server.pid() ?? 0, 'SIGKILL');
    const unlimited = open(limits, { onUnavailable: 'open' });
    await pause(50);
    const began = performance.now();
    const waiting = tries(limiter);
    for (let count = 0; count < 5; count++) (await unlimited.enter(model, 0, never)).leave(0);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(warnings).toHaveLength(2);
    expect(waiting.at()).toBe(Number.POSITIVE_INFINITY);
    await server.killAndRestart();
    await waiting.passage;
    expect(warnings).toHaveLength(2);
    // Back under the limits: the bucket is nearly empty, so two more cannot both go at once.
    const back = performance.now();
    for (let count = 0; count < 3; count++) await limiter.enter(model, 0, never);
    expect(performance.now() - back).toBeGreaterThan(900);
  }, 15_000);
});
