import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { StateError, UsageError } from '../../../core/errors.ts';
import { ServiceNames } from '../service-names.ts';
import { limitsServiceName } from './limits-protocol.ts';
import { type RestateLimitsOptions, SharedLimits } from './shared-limits.ts';

interface Asked {
  handler: string;
  id: string | undefined;
  body: Record<string, unknown>;
}

type Answer = (response: ServerResponse) => void;

const taken =
  (answer: object): Answer =>
  (response) =>
    response.end(JSON.stringify(answer));
const goes = taken({ waitMs: 0, turn: 1 });
const refused =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status).end('{"message":"no"}');
const breaks: Answer = (response) => response.destroy();
const silent: Answer = () => undefined;

const model = { provider: 'test', modelId: 'small' };
const never = new AbortController().signal;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** An ingress that answers the questions for a turn in this order, and takes every message. */
async function ingress(answers: Answer[], options: Partial<RestateLimitsOptions> = {}) {
  const asked: Asked[] = [];
  const warnings: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const handler = request.url?.split('/').slice(3).join('/') ?? '';
    asked.push({
      handler,
      id: request.headers['idempotency-key']?.toString(),
      body: JSON.parse(await text(request)) as Record<string, unknown>,
    });
    if (handler === 'take') (answers.shift() ?? goes)(response);
    else response.end('{}');
  };
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const limiter = new SharedLimits({
    ingress: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limits: { test: { requestsPerMinute: 60 } },
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  const takes = (): Asked[] => asked.filter(({ handler }) => handler === 'take');
  const told = (): Asked[] => asked.filter(({ handler }) => handler !== 'take');
  return { limiter, takes, told, warnings };
}

describe('limits that an engine holds', () => {
  test('a question whose answer was lost is asked again under the same id, so that it costs one turn', async () => {
    const { limiter, takes, warnings } = await ingress([breaks, breaks]);
    await limiter.enter(model, 0, never);
    const ids = takes().map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/cannot be reached: start the server/)]);
    await limiter.enter(model, 0, never);
    expect(takes().at(-1)?.id).not.toBe(ids[0]);
  });

  test('a question that the engine answered with a failure is asked under another id', async () => {
    const { limiter, takes } = await ingress([refused(500), refused(404)]);
    await limiter.enter(model, 0, never);
    expect(new Set(takes().map(({ id }) => id)).size).toBe(3);
  });

  test('a question that the workers do not understand is an error, not a wait', async () => {
    const { limiter } = await ingress([refused(400)]);
    await expect(limiter.enter(model, 0, never)).rejects.toThrow(StateError);
  });

  test('a call that waited for its turn goes out, also when the engine has gone meanwhile', async () => {
    const { limiter, takes, warnings } = await ingress([taken({ waitMs: 30, turn: 7 }), breaks]);
    await limiter.enter(model, 0, never);
    expect(takes().map(({ body }) => body['turn'])).toEqual([undefined, 7]);
    expect(warnings).toHaveLength(1);
  });

  test('a call that is given up gives its turn back, also one that the engine has not answered yet', async () => {
    const answers = [taken({ waitMs: 10_000, turn: 7 }), silent];
    const { limiter, told } = await ingress(answers, { requestMs: 150 });
    for (let count = 0; count < 2; count++) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error('enough')), 50);
      await expect(limiter.enter(model, 9, stop.signal)).rejects.toThrow('enough');
    }
    await limiter.close();
    const corrected = { handler: 'correct/send', body: { unused: { requests: 1, tokens: 9 } } };
    expect(told()).toMatchObject([corrected, corrected]);
  });

  test('tells the engine afterwards only what changes something, once', async () => {
    const limits = { test: { requestsPerMinute: 60 }, 'test:counted': { tokensPerMinute: 60 } };
    const { limiter, told } = await ingress([], { limits });
    (await limiter.enter(model, 10, never)).leave(30);
    const passage = await limiter.enter({ ...model, modelId: 'counted' }, 10, never);
    passage.leave(30);
    passage.leave(30);
    passage.hold(1_000);
    await limiter.close();
    expect(told()).toMatchObject([{ handler: 'correct/send', body: { unused: { requests: 0, tokens: -20 } } }]);
  });

  test('renews the places of calls that go on, and no others', async () => {
    const limits = { test: { concurrency: 2 } };
    const { limiter, told, takes } = await ingress([], { limits, leaseMs: 60 });
    const passage = await limiter.enter(model, 0, never);
    await new Promise((resolve) => setTimeout(resolve, 100));
    passage.leave(0);
    await limiter.close();
    const before = told();
    expect(before.filter(({ handler }) => handler === 'keep/send').length).toBeGreaterThanOrEqual(2);
    expect(before[0]?.body['tickets']).toEqual([takes()[0]?.body['ticket']]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(told()).toHaveLength(before.length);
  });

  test('are kept by a service whose name Restate takes and no workflow has', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    const space = fc.option(text, { nil: undefined });
    fc.assert(
      fc.property(space, space, text, (namespace, other, workflow) => {
        const name = limitsServiceName(namespace);
        expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9._-]*$/);
        expect(new ServiceNames(other).of(workflow)).not.toBe(name);
        if (other !== namespace) expect(limitsServiceName(other)).not.toBe(name);
      }),
    );
  });

  test('refuses an address or a limit that cannot be', () => {
    expect(() => new SharedLimits({ ingress: 'here', limits: {} })).toThrow(UsageError);
    const limits = { test: { concurrency: 0 } };
    expect(() => new SharedLimits({ ingress: 'http://127.0.0.1:1', limits })).toThrow(/concurrency of test is 0/);
  });
});
