import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { Result } from '../../core/result.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool, callTools } from '../../testing/replies.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import { react } from './react.ts';

function lookup(run: (key: string) => Promise<string> | string = (key) => `value of ${key}`): Tool {
  return tool({
    name: 'lookup',
    description: 'Looks a key up.',
    input: z.object({ key: z.string() }),
    effect: 'read',
    run: ({ key }) => run(key),
  });
}

async function runScript(replies: ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies);
  const result: Result = await defineAgent({ model, tools: [lookup()], ...options }).run('find it');
  return { result, model };
}

/** The texts of the tool results and user messages the model saw last. */
function lastSeen(model: ReturnType<typeof scriptedModel>): string {
  return JSON.stringify(model.calls.at(-1)?.prompt);
}

describe('react', () => {
  it('acts, observes and ends with a final answer', async () => {
    const { result, model } = await runScript([callTool('lookup', { key: 'a' }), callFinal('it is a')]);
    expect(result.answer).toBe('it is a');
    expect(result.attempt.ended).toEqual({ type: 'final' });
    expect(result.attempt.observations).toMatchObject([
      { id: 'obs-1', tool: 'lookup', status: 'ok', content: 'value of a' },
    ]);
    model.assertDone();
  });

  it('numbers observations in call order, whatever finishes first', async () => {
    const slowFirst = lookup(
      (key) => new Promise((resolve) => setTimeout(() => resolve(key), key === 'slow' ? 30 : 0)),
    );
    const { result } = await runScript(
      [callTools(['lookup', { key: 'slow' }], ['lookup', { key: 'fast' }]), callFinal('done')],
      { tools: [slowFirst] },
    );
    expect(result.attempt.observations.map(({ id, content }) => [id, content])).toEqual([
      ['obs-1', 'slow'],
      ['obs-2', 'fast'],
    ]);
  });

  it.each([
    ['an Error', () => Promise.reject(new Error('no such key'))],
    ['a text', () => Promise.reject('no such key')],
    ['nothing', () => Promise.reject(undefined)],
  ])('keeps the result of one call when another one throws %s', async (_, fail) => {
    const mixed = lookup((key) => (key === 'bad' ? fail() : new Promise((r) => setTimeout(() => r('receipt'), 20))));
    const { result, model } = await runScript(
      [callTools(['lookup', { key: 'good' }], ['lookup', { key: 'bad' }]), callFinal('done')],
      { tools: [mixed] },
    );
    expect(result.attempt.observations.map(({ status }) => status)).toEqual(['ok', 'error']);
    expect(result.attempt.observations[0]?.content).toBe('receipt');
    expect(lastSeen(model)).toContain('receipt');
  });

  it('does not accept a final that stands beside a call', async () => {
    const { result, model } = await runScript([
      {
        calls: [
          { tool: 'lookup', input: { key: 'a' } },
          { tool: 'final', input: { answer: 'guessed', claims: [] } },
        ],
      },
      callFinal('read'),
    ]);
    expect(result.answer).toBe('read');
    expect(lastSeen(model)).toContain('final has to stand alone');
  });

  it('ends only by final: text alone is asked again', async () => {
    const { result, model } = await runScript(['I would say it is a.', callFinal('it is a')]);
    expect(result.answer).toBe('it is a');
    expect(lastSeen(model)).toContain('Call a tool, or call final');
  });

  it('fails as an empty response after a bounded number of empty turns', async () => {
    const { result, model } = await runScript(['', '  \n', '', 'never asked']);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'empty-response' } });
    expect(model.calls).toHaveLength(3);
  });

  it('takes an answer that comes after an empty turn', async () => {
    const { result, model } = await runScript(['', ' \n', callFinal('here it is')]);
    expect(result.answer).toBe('here it is');
    expect(model.calls).toHaveLength(3);
  });

  it('stops at the first refusal with its text', async () => {
    const { result, model } = await runScript([{ refusal: 'I cannot help with this.' }, callFinal('never')]);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'refused', detail: 'I cannot help with this.' } });
    expect(model.calls).toHaveLength(1);
  });

  it('never lets a call that the token limit cut reach a tool', async () => {
    let ran = 0;
    const counting = lookup(() => `${++ran}`);
    const { result, model } = await runScript(
      [{ calls: [{ tool: 'lookup', input: { key: 'a' } }], finish: 'length' }, callFinal('short')],
      { tools: [counting] },
    );
    expect(ran).toBe(0);
    expect(lastSeen(model)).toContain('output limit');
    expect(result.answer).toBe('short');
  });

  it('asks for a last answer at the step limit and marks it degraded', async () => {
    const { result, model } = await runScript(
      [callTool('lookup', { key: 'a' }), callTool('lookup', { key: 'b' }), callFinal('so far a and b')],
      { solver: react({ maxSteps: 2 }) },
    );
    expect(result).toMatchObject({ status: 'stopped', answer: 'so far a and b', reason: { code: 'steps' } });
    expect(result.attempt).toMatchObject({ degraded: true, observations: [{ id: 'obs-1' }, { id: 'obs-2' }] });
    expect(model.calls.at(-1)?.toolChoice).toEqual({ type: 'tool', toolName: 'final' });
  });

  it('keeps the tool limit to the call, batches included, and ends at once', async () => {
    let ran = 0;
    const batch = (turn: number) =>
      callTools(...[1, 2, 3].map((n): [string, { key: string }] => ['lookup', { key: `${turn}.${n}` }]));
    const { result } = await runScript([batch(1), batch(2), callFinal('enough')], {
      tools: [lookup(() => `${++ran}`)],
      budget: { toolCalls: 4 },
    });
    expect(ran).toBe(4);
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'toolCalls' }, usage: { toolCalls: 4 } });
    expect(result.attempt.observations).toHaveLength(6);
    expect(result.attempt.observations.at(-1)).toMatchObject({ status: 'denied' });
  });

  it('pays the last answer from the slice that the model call limit keeps', async () => {
    const { result, model } = await runScript(
      [callTool('lookup', { key: 'a' }), callTool('lookup', { key: 'b' }), callFinal('two')],
      { budget: { modelCalls: 3 } },
    );
    expect(result).toMatchObject({ status: 'stopped', answer: 'two', reason: { code: 'modelCalls' } });
    expect(model.calls).toHaveLength(3);
  });

  it('has limits without any configuration', async () => {
    const model = scriptedModel((_, { call }) => callTool('lookup', { key: `variation ${call}` }));
    const result = await defineAgent({ model, tools: [lookup()] }).run('never ends');
    expect(result.status).toBe('stopped');
    expect(model.calls.length).toBeLessThan(20);
  });

  it('stops when many calls in a row bring nothing new', async () => {
    const model = scriptedModel((_, { call }) => callTool('lookup', { key: `variation ${call}` }));
    const result = await defineAgent({
      model,
      tools: [lookup(() => 'the same page')],
      solver: react({ maxSteps: 500 }),
    }).run('x');
    expect(result.reason.code).toBe('no-progress');
    expect(model.calls.length).toBeLessThan(15);
  });

  it('returns what was found when the model fails, and calls it no more', async () => {
    const { result, model } = await runScript([
      callTool('lookup', { key: 'a' }),
      { error: { status: 401, message: 'bad key' } },
    ]);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'model-error' } });
    expect(result.attempt.observations).toHaveLength(1);
    expect(model.calls).toHaveLength(2);
  });

  it('tells the model the date of the run', async () => {
    const { model } = await runScript([callFinal('x')]);
    expect(lastSeen(model)).toMatch(new RegExp(`Today is ${new Date().getUTCFullYear()}-\\d\\d-\\d\\d`));
  });

  it('tells the model that the day has changed when a run goes on later', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 4, 9, 23, 50) });
    onTestFinished(() => void vi.useRealTimers());
    const model = scriptedModel([callTool('tell'), callTool('lookup', { key: 'a' }), callFinal('x')]);
    const tell = tool({ name: 'tell', description: 'Tells.', input: z.object({}), effect: 'write', run: () => 'told' });
    const agent = defineAgent({ model, tools: [tell, lookup()] });
    await agent.run('find it', { runId: 'late' });
    const [signal] = (await agent.host.info('late'))?.waitingFor ?? [];
    vi.setSystemTime(Date.UTC(2031, 4, 12, 8, 0));
    await agent.decide('late', signal ?? '', { approved: true });
    expect((await agent.resume('late')).answer).toBe('x');
    expect(lastSeen(model)).toContain('Today is 2031-05-09.');
    expect(lastSeen(model).match(/The day has changed. Today is 2031-05-12\./g)).toHaveLength(1);
  });

  it('shows the ends of a long observation and reads what is between', async () => {
    const lines = 'a line of the document\n'.repeat(300);
    const long = `the first line\n${lines}the middle line\n${lines}the last line`;
    const { result, model } = await runScript(
      [
        callTool('lookup', { key: 'long' }),
        callTool('readObservation', { id: 'obs-1', from: 6_900 }),
        callFinal('the middle', [{ text: 'x', evidence: [{ observation: 'obs-1', quote: 'the middle line' }] }]),
      ],
      { tools: [lookup(() => long)] },
    );
    const first = JSON.stringify(model.calls[1]?.prompt);
    expect(first).toContain('the first line');
    expect(first).toContain('the last line');
    expect(first).not.toContain('the middle line');
    expect(lastSeen(model)).toContain('the middle line');
    expect(result.attempt.observations).toHaveLength(1);
    expect(result.attempt.observations[0]?.content).toBe(long);
  });

  it('keeps four results that are each larger than any window within one request', async () => {
    const huge = `HEADER\n${'x'.repeat(4_000_000)}\nTOTAL=17`;
    const calls = ['a', 'b', 'c', 'd'].map((key) => ({ tool: 'lookup', input: { key } }));
    const { model } = await runScript([{ calls }, callFinal('17')], { tools: [lookup(() => huge)] });
    const request = lastSeen(model);
    expect(request.length).toBeLessThan(40_000);
    expect(request.match(/HEADER/g)).toHaveLength(4);
    expect(request.match(/TOTAL=17/g)).toHaveLength(4);
  });

  it('runs no tool in the last turn', async () => {
    const ran: string[] = [];
    const model = scriptedModel((_, { call }) => callTool('lookup', { key: String(call) }));
    const tools = [lookup((key) => String(ran.push(key)))];
    const result = await defineAgent({ model, tools, solver: react({ maxSteps: 2 }) }).run('x');
    expect(ran).toEqual(['1', '2']);
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'steps' } });
    expect(result.attempt.observations).toHaveLength(2);
  });

  it('takes an answer that is an object for its JSON text', async () => {
    const answer = { total: 7, unit: 'm' };
    const { result, model } = await runScript([{ calls: [{ tool: 'final', input: { answer, claims: [] } }] }]);
    expect(JSON.parse(result.answer ?? '')).toEqual(answer);
    expect(model.calls).toHaveLength(1);
  });
});
