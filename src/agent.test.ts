import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from './agent.ts';
import { UsageError } from './core/errors.ts';
import type { RunEvent, Sink } from './core/event.ts';
import { functionModel } from './model/providers/function-model.ts';
import { scriptedModel } from './model/providers/script-model.ts';
import { InMemoryJournals, inMemoryHost } from './runtime/in-memory.ts';
import { react } from './solver/react/react.ts';
import { verification } from './solver/verification/verification.ts';
import { callFinal, callTool } from './testing/replies.ts';
import { tool } from './tools/tool.ts';

const echo = tool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'read',
  run: ({ text }) => `heard: ${text}`,
});
const say = (text: string) => callTool('echo', { text });

describe('agent.run', () => {
  it('is an async iterable of events and a promise of the result', async () => {
    const run = defineAgent({ model: scriptedModel([say('a'), callFinal('a')]), tools: [echo] }).run('repeat a');
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const result = await run;
    expect(events.at(0)).toMatchObject({ type: 'run.start', task: 'repeat a' });
    expect(events.at(-1)).toMatchObject({ type: 'run.end', status: result.status });
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
    expect(events.every((event) => event.run === result.runId)).toBe(true);
  });

  it('keeps agents apart in one process', async () => {
    const answers = ['one', 'two', 'three'].map((answer) =>
      defineAgent({ model: scriptedModel([callFinal(answer)]) }).run('x'),
    );
    expect((await Promise.all(answers)).map((result) => result.answer)).toEqual(['one', 'two', 'three']);
  });

  it('gives the verifier its own model', async () => {
    const actor = scriptedModel([callFinal('x')]);
    const verifier = scriptedModel([{ error: { status: 400, message: 'not today' } }]);
    const result = await defineAgent({ model: { actor, verifier }, layers: [verification()] }).run('x');
    expect(result.reason.code).toBe('unchecked');
    expect(verifier.calls).toHaveLength(1);
  });

  it.each([
    ['an empty task', () => defineAgent({ model: scriptedModel(['x']) }).run('  '), 'the task is empty'],
    ['an unknown model id', () => defineAgent({ model: 'nobody:home' }).run('x'), 'nobody'],
    [
      'a USD limit without a price',
      () => defineAgent({ model: functionModel(() => ''), budget: { usd: 1 } }).run('x'),
      'needs a price',
    ],
  ])('refuses %s with the remedy', async (_, start, message) => {
    await expect(start()).rejects.toThrow(UsageError);
    await expect(start()).rejects.toThrow(message);
  });

  it('refuses tools whose names clash', () => {
    expect(() => defineAgent({ model: 'x:y', tools: [echo, echo] })).toThrow(/Two tools are named 'echo'/);
    expect(() => defineAgent({ model: 'x:y', tools: [{ ...echo, name: 'final' }] })).toThrow(/'final'/);
  });

  it('warns of layers in an order that defeats one of them', () => {
    const warnings: string[] = [];
    const planLike = { name: 'plan', config: {}, place: 'planning' as const, wrap: (inner: never) => inner };
    const layers = [planLike, verification()];
    defineAgent({ model: 'x:y', layers, onWarning: (message) => warnings.push(message) });
    expect(warnings.join()).toContain("'verification' stands inside 'plan'");
  });

  it('does not warn of two layers of one place', () => {
    const warnings: string[] = [];
    const layers = [verification(), verification({ verifier: false })];
    defineAgent({ model: 'x:y', layers, onWarning: (message) => warnings.push(message) });
    expect(warnings).toEqual([]);
  });

  it('finds a schema that cannot be used before anything is paid for', async () => {
    const model = scriptedModel([callFinal('x')]);
    const outputSchema = { $ref: '#/nowhere' };
    await expect(defineAgent({ model }).run({ input: 'x', outputSchema })).rejects.toThrow();
    expect(model.calls).toEqual([]);
  });

  it('keeps what was found when it is cancelled', async () => {
    const controller = new AbortController();
    const model = scriptedModel((_, { call }) => (call === 1 ? say('found') : { delayMs: 5_000, text: 'too late' }));
    const run = defineAgent({ model, tools: [echo] }).run('x', { signal: controller.signal });
    for await (const event of run) if (event.type === 'model.start' && model.calls.length === 2) controller.abort();
    const result = await run;
    expect(result.status).toBe('cancelled');
    expect(result.attempt.observations).toMatchObject([{ content: 'heard: found' }]);
  });

  it('turns a bug in a layer into a failed result with what was kept', async () => {
    const broken = {
      name: 'broken',
      config: {},
      place: 'information' as const,
      wrap:
        (inner: Parameters<ReturnType<typeof verification>['wrap']>[0]) =>
        async (...args: Parameters<typeof inner>) => {
          await inner(...args);
          throw new Error('the layer broke');
        },
    };
    const model = scriptedModel([say('a'), callFinal('a')]);
    const result = await defineAgent({ model, tools: [echo], layers: [broken] }).run('x');
    expect(result).toMatchObject({ status: 'failed', reason: { detail: 'the layer broke' } });
    expect(result.attempt.observations).toHaveLength(1);
  });

  it('reports a failing sink once, and neither hangs nor loses events for the others', async () => {
    const seen: string[] = [];
    const warnings: string[] = [];
    const agent = defineAgent({
      model: scriptedModel([say('a'), callFinal('a')]),
      tools: [echo],
      sinks: [
        { name: 'broken', write: () => Promise.reject(new Error('disk full')) },
        { name: 'hung', write: () => new Promise<void>(() => {}) },
        { name: 'good', write: (event) => void seen.push(event.type) },
      ],
      onWarning: (message) => warnings.push(message),
    });
    expect((await agent.run('x')).answer).toBe('a');
    await agent.close();
    expect(seen.filter((type) => type === 'sink.failed').length).toBeGreaterThan(0);
    expect(seen).toContain('run.end');
    expect(warnings.filter((warning) => warning.includes("'broken'"))).toHaveLength(1);
  });

  it('closes its sinks, and tells who iterates of one that failed', async () => {
    let closed = 0;
    const sinks: Sink[] = [
      { name: 'broken', write: () => Promise.reject(new Error('disk full')) },
      { name: 'good', write: () => {}, close: () => void closed++ },
    ];
    const agent = defineAgent({ model: scriptedModel([say('a'), callFinal('a')]), tools: [echo], sinks });
    const types: string[] = [];
    for await (const event of agent.run('x')) types.push(event.type);
    expect(types).toContain('sink.failed');
    expect(closed).toBe(0);
    await agent.close();
    expect(closed).toBe(1);
  });

  it('lets no secret into prompts, events or errors', async () => {
    const secret = 'correct-horse-battery-9';
    const leak = tool({ ...echo, name: 'leak', run: () => `the password is ${secret}` });
    const fail = tool({ ...echo, name: 'fail', run: () => Promise.reject(new Error(`no access with ${secret}`)) });
    const model = scriptedModel([callTool('leak', { text: 'x' }), callTool('fail', { text: 'x' }), callFinal(secret)]);
    const run = defineAgent({ model, tools: [leak, fail], secrets: [secret] }).run('x');
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(JSON.stringify(model.calls.map((call) => call.prompt))).not.toContain(secret);
  });

  it('keeps a secret in the task or in what a model says out of prompts and events', async () => {
    const secret = 'correct-horse-battery-9';
    const model = scriptedModel([`I know ${secret}`, callFinal(`it is ${secret}`)]);
    const run = defineAgent({ model, secrets: [secret] }).run({
      input: `use ${secret}`,
      constraints: [`never say ${secret}`],
    });
    const events: RunEvent[] = [];
    for await (const event of run) if (event.type !== 'model.delta') events.push(event);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain(secret);
  });

  it('keeps a secret that the model wrote into a call out of the result, and gives it to the tool', async () => {
    const secret = 'correct-horse-battery-9';
    let got = '';
    const login = tool({
      ...echo,
      name: 'login',
      run: ({ text }) => {
        got = text;
        return 'logged in';
      },
    });
    const model = scriptedModel([callTool('login', { text: secret }), callFinal('in')]);
    const result = await defineAgent({ model, tools: [login], secrets: [secret] }).run('x');
    expect(got).toBe(secret);
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  it('shows no secret in the events of a call whose arguments hold one', async () => {
    const secret = 'correct-horse-battery-9';
    const sign = tool({ ...echo, name: 'sign', effect: 'write' });
    const model = scriptedModel([
      say(`open with ${secret}`),
      callTool('sign', { text: `with ${secret}` }),
      callFinal('x'),
    ]);
    const run = defineAgent({ model, tools: [echo, sign], secrets: [secret] }).run(`use ${secret}`);
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['tool.call', 'approval.requested']));
    expect(JSON.stringify(events)).not.toContain(secret);
  });

  it('starts no model call after a cancel while branches wait for the model', async () => {
    let started = 0;
    const actor = scriptedModel([callFinal('x')]);
    const questions = JSON.stringify({ questions: [1, 2, 3, 4].map((n) => ({ question: `question ${n}` })) });
    const verifier = scriptedModel((_, { role }) => {
      if (role === 'questions') return questions;
      started++;
      return { delayMs: 5_000, text: '{"answer":"late"}' };
    });
    const run = defineAgent({ model: { actor, verifier }, layers: [verification()] }).run('x');
    for await (const event of run) if (event.type === 'model.start' && started >= 3) await run.cancel();
    expect((await run).status).toBe('cancelled');
    const atCancel = started;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started).toBe(atCancel);
  });
});

describe('agent.resume and extend', () => {
  it('gives a finished run its result again without asking the model', async () => {
    const model = scriptedModel([callFinal('a')]);
    const agent = defineAgent({ model });
    const first = await agent.run('x', { runId: 'done' });
    expect(await agent.resume('done')).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  it('stores the limits and settings of a run, and hands them on to the one that extends it', async () => {
    const agent = defineAgent({ model: scriptedModel([callFinal('cut')]), budget: { modelCalls: 0, toolCalls: 7 } });
    await agent.run('x', { runId: 'small', settings: { docs: './here' }, budget: { usd: Number.POSITIVE_INFINITY } });
    const inputOf = async (id: string) => (await agent.host.info(id))?.input;
    expect(await inputOf('small')).toMatchObject({
      budget: { modelCalls: 0, toolCalls: 7, tokens: 200_000, ms: 300_000 },
      settings: { docs: './here' },
    });
    await agent.extend('small', { runId: 'large', budget: { modelCalls: 3 } });
    expect(await inputOf('large')).toMatchObject({
      budget: { modelCalls: 3, toolCalls: 7, tokens: 200_000 },
      settings: { docs: './here' },
    });
    await agent.extend('small', { runId: 'other', settings: { docs: './there' } });
    expect(await inputOf('other')).toMatchObject({ budget: { modelCalls: 0 }, settings: { docs: './there' } });
    await expect(agent.run('x', { budget: { ms: Number.NaN } })).rejects.toThrow('The limit ms is NaN');
  });

  it('says of an event whether it happens now or is repeated', async () => {
    const journals = new InMemoryJournals();
    const first = inMemoryHost({ journals });
    const model = scriptedModel((_, { call }) => (call === 1 ? say('a') : callFinal('a')));
    const slow = { ...echo, run: () => new Promise(() => {}) };
    const begun = defineAgent({ model, tools: [slow], host: first }).run('x', { runId: 'r' });
    for await (const event of begun) if (event.type === 'tool.call') await first.close();
    const resumed = defineAgent({ model, tools: [echo], host: inMemoryHost({ journals }) }).resume('r');
    const live: Record<string, boolean> = {};
    for await (const event of resumed) live[event.id] = event.live;
    expect(live).toMatchObject({ ':model.call#1': false, ':tool.result#1': true, ':model.call#2': true });
  });

  it('names the remedy for a run that does not exist or exists already', async () => {
    const agent = defineAgent({ model: scriptedModel(['x', callFinal('a'), callFinal('b')]) });
    await expect(agent.resume('nowhere')).rejects.toThrow("There is no run 'nowhere'");
    await agent.run('x', { runId: 'twice' });
    await expect(agent.run('x', { runId: 'twice' })).rejects.toThrow("'twice' exists already");
  });

  it('goes on with a run that a limit stopped, without paying twice for what is recorded', async () => {
    const host = inMemoryHost();
    const script = [say('a'), say('b'), callFinal('cut short'), say('c'), callFinal('a, b and c')];
    const model = scriptedModel(script);
    const options = { model, tools: [echo], host };
    const stopped = await defineAgent({ ...options, budget: { modelCalls: 3 } }).run('x', { runId: 'small' });
    expect(stopped).toMatchObject({ status: 'stopped', answer: 'cut short' });
    const agent = defineAgent(options);
    const result = await agent.extend('small', { runId: 'large', budget: { modelCalls: 20 } });
    expect(result).toMatchObject({ answer: 'a, b and c', usage: { modelCalls: 4 } });
    expect(model.calls).toHaveLength(5);
    expect(result.attempt.observations.map((seen) => seen.content)).toEqual(['heard: a', 'heard: b', 'heard: c']);
  });

  it('extends past a step limit when the loop now allows more', async () => {
    const host = inMemoryHost();
    const model = scriptedModel([say('a'), callFinal('cut short'), say('b'), callFinal('both')]);
    const options = { model, tools: [echo], host };
    await defineAgent({ ...options, solver: react({ maxSteps: 1 }) }).run('x', { runId: 'one' });
    const result = await defineAgent({ ...options, solver: react({ maxSteps: 9 }) }).extend('one', { runId: 'nine' });
    expect(result.answer).toBe('both');
    await expect(defineAgent(options).extend('nine', {})).rejects.toThrow('No limit stopped');
  });

  it('keeps the policy a run began with: a laxer process does not run what a human was asked about', async () => {
    const host = inMemoryHost({ suspendAfterMs: 5 });
    let paid = 0;
    const pay = tool({
      ...echo,
      name: 'pay',
      effect: 'write',
      run: () => {
        paid++;
        return 'paid';
      },
    });
    const model = scriptedModel((options) =>
      options.prompt.some((message) => message.role === 'tool') ? callFinal('done') : callTool('pay', { text: 'x' }),
    );
    await defineAgent({ model, tools: [pay], host }).run('x', { runId: 'ask' });
    const lax = defineAgent({ model, tools: [pay], host, policy: { write: 'allow' } });
    expect((await lax.resume('ask')).status).toBe('awaiting_approval');
    expect(paid).toBe(0);
    const [signal] = (await host.info('ask'))?.waitingFor ?? [];
    await lax.decide('ask', signal ?? '', { approved: false, reason: 'no' });
    expect((await lax.resume('ask')).answer).toBe('done');
    expect(paid).toBe(0);
  });

  it('parks a run whose code changed under it, and a fitting version resumes it', async () => {
    const host = inMemoryHost({ suspendAfterMs: 5 });
    const pay = tool({ ...echo, name: 'pay', effect: 'write' });
    const options = (description: string) => ({
      model: functionModel((_, user) =>
        user.includes('obs-1')
          ? '{"type":"final","answer":"paid"}'
          : '{"type":"tool","tool":"pay","args":{"text":"x"}}',
      ),
      tools: [{ ...pay, description }],
      host,
    });
    await defineAgent(options('Pays.')).run('x', { runId: 'p' });
    const [signal] = (await host.info('p'))?.waitingFor ?? [];
    const changed = defineAgent(options('Pays a lot.'));
    await changed.decide('p', signal ?? '', { approved: true });
    expect(await changed.resume('p')).toMatchObject({ status: 'stopped', reason: { code: 'parked' } });
    expect(await defineAgent(options('Pays.')).resume('p')).toMatchObject({ answer: 'paid' });
  });
});

describe('agent.fork', () => {
  it('repeats the journal up to the step without asking the model, and goes on live from there', async () => {
    const model = scriptedModel([say('a'), callFinal('a'), callFinal('b')]);
    const agent = defineAgent({ model, tools: [echo] });
    await agent.run('x', { runId: 'whole' });
    const fork = agent.fork('whole', { at: 2, runId: 'branch', budget: { modelCalls: 5 } });
    const live: Record<string, boolean> = {};
    for await (const event of fork) live[event.id] = event.live;
    expect(live).toMatchObject({ ':model.call#1': false, ':tool.result#1': false, ':model.call#2': true });
    expect(await fork).toMatchObject({ runId: 'branch', answer: 'b', usage: { modelCalls: 2 } });
    expect(model.calls).toHaveLength(3);
    expect(await agent.host.info('branch')).toMatchObject({
      forkedFrom: 'whole',
      input: { budget: { modelCalls: 5 } },
    });
  });

  it('asks again for an effect that was approved after the step', async () => {
    let paid = 0;
    const run = () => `paid ${++paid}`;
    const pay = tool({ ...echo, name: 'pay', effect: 'write', run });
    const model = scriptedModel((options) =>
      options.prompt.some((message) => message.role === 'tool') ? callFinal('done') : callTool('pay', { text: 'x' }),
    );
    const agent = defineAgent({ model, tools: [pay], host: inMemoryHost({ suspendAfterMs: 5 }) });
    await agent.run('x', { runId: 'first' });
    const [signal] = (await agent.host.info('first'))?.waitingFor ?? [];
    await agent.decide('first', signal ?? '', { approved: true });
    expect((await agent.resume('first')).answer).toBe('done');
    expect((await agent.fork('first', { at: 1, runId: 'again' })).status).toBe('awaiting_approval');
    expect(paid).toBe(1);
  });

  it('names the remedy for what cannot be forked', async () => {
    const agent = defineAgent({ model: scriptedModel([callFinal('a')]) });
    await agent.run('x', { runId: 'r' });
    await expect(agent.fork('nowhere', { at: 1 })).rejects.toThrow("There is no run 'nowhere'");
    await expect(agent.fork('r', { at: 1, runId: 'r' })).rejects.toThrow("'r' exists already");
    await expect(agent.fork('r', { at: 1.5 })).rejects.toThrow(UsageError);
  });
});
