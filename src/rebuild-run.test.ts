import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent, type AgentOptions } from './agent.ts';
import { transcriptOf, userMessage } from './core/transcript.ts';
import { noUsage } from './core/usage.ts';
import { inMemoryLessons } from './memory/in-memory-lessons.ts';
import type { LessonStore } from './memory/memory.ts';
import { functionModel } from './model/providers/function-model.ts';
import { type ScriptedModel, scriptedModel } from './model/providers/script-model.ts';
import { type RebuildOptions, RebuiltRun, rebuildRun } from './rebuild-run.ts';
import type { DurableHost } from './runtime/durable.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { type Recording, recordingOf } from './runtime/replay-journal.ts';
import { lessons } from './solver/lessons/lessons.ts';
import { planAndSolve } from './solver/plan-and-solve/plan-and-solve.ts';
import { react } from './solver/react/react.ts';
import { selfConsistency } from './solver/self-consistency/self-consistency.ts';
import { verification } from './solver/verification/verification.ts';
import { callFinal, callTool, callTools } from './testing/replies.ts';
import { tool } from './tools/tool.ts';

/** Everything that was done outside. */
let done: string[] = [];
const hosts: DurableHost[] = [];
afterEach(async () => {
  done = [];
  for (const host of hosts.splice(0)) await host.close();
});

const stock = tool({
  name: 'stock',
  description: 'How many of a part are in stock.',
  input: z.object({ part: z.string() }),
  effect: 'read',
  run: ({ part }) => {
    done.push(`stock ${part}`);
    return `${part}: 41 pieces`;
  },
});
const order = tool({
  name: 'order',
  description: 'Orders a part.',
  input: z.object({ part: z.string() }),
  effect: 'write',
  run: ({ part }) => done.push(`order ${part}`),
});

/** Looks at each part, then answers with a quote; verifiers and planners are content. */
function clerk(...parts: string[]): ScriptedModel {
  return scriptedModel(({ prompt }, { role }) => {
    done.push(`model ${role}`);
    if (role === 'planner') return JSON.stringify({ goal: 'count', steps: [{ id: 's1', objective: 'look' }] });
    if (role !== 'actor') return JSON.stringify({ questions: [], answers: [], issues: [], verdict: 'pass' });
    const turn = prompt.filter((message) => message.role === 'assistant').length;
    const part = parts[turn];
    if (part !== undefined) return part === 'order' ? callTool('order', { part }) : callTool('stock', { part });
    return callFinal('41.', [{ text: '41', evidence: [{ observation: 'obs-1', quote: '41 pieces' }] }]);
  });
}

async function record(options: AgentOptions, input = 'How many are left?'): Promise<Recording> {
  const host = options.host ?? inMemoryHost({ suspendAfterMs: 5 });
  hosts.push(host);
  await new Agent({ ...options, host }).run(input, { runId: 'r' });
  return (await recordingOf(host, 'r'))!;
}

/** Rebuilds it and checks that nothing was done meanwhile. */
async function rebuilt(recording: Recording, options: AgentOptions, limits?: RebuildOptions): Promise<RebuiltRun> {
  const before = done.length;
  const run = await rebuildRun(recording, options, limits);
  expect(done.slice(before)).toEqual([]);
  return run;
}

describe('a rebuilt run', () => {
  it('has every prompt as the model saw it, through layers, roles and parallel paths, and nothing is done', async () => {
    const inner = inMemoryLessons();
    const touched = <T>(name: string, then: T): T => {
      done.push(name);
      return then;
    };
    const store: LessonStore = {
      ...inner,
      recall: (...args) => touched('recall', inner.recall(...args)),
      report: (...args) => touched('report', inner.report(...args)),
    };
    const model = clerk('hinge', 'bolt');
    const sink = { name: 'seen', write: () => void done.push('event') };
    const options: AgentOptions = {
      model,
      tools: [stock],
      layers: [lessons({ store }), selfConsistency({ samples: 2, stopEarly: false }), verification(), planAndSolve()],
      sinks: [sink],
    };
    const recording = await record(options);
    const run = await rebuilt(recording, options);
    expect([run.complete, run.why]).toEqual([true, undefined]);
    expect(run.calls.length).toBe(model.calls.length);
    expect(new Set(run.calls.map(({ role }) => role))).toEqual(new Set(['planner', 'actor', 'verifier']));
    const prompts = run.calls.map(({ index }) => JSON.stringify(run.prompt(index)));
    expect(prompts.toSorted()).toEqual(model.calls.map(({ prompt }) => JSON.stringify(prompt)).toSorted());
    for (const [index, call] of run.calls.entries()) {
      expect(call.index).toBe(index);
      expect(run.prompt(index)).toHaveLength(call.messages);
      expect(recording.entries.find(({ seq }) => seq === call.seq)?.value).toBe(call.reply);
    }
    expect(run.calls.map(({ seq }) => seq)).toEqual(run.calls.map(({ seq }) => seq).toSorted((a, b) => a! - b!));
    const acting = run.calls.filter(({ role, path }) => role === 'actor' && path.includes('samples/0'));
    expect(acting.map(({ messages, shared }) => [messages, shared])).toEqual([
      [2, 0],
      [4, 2],
      [6, 4],
    ]);
    expect(acting[0]).toMatchObject({ step: 'turn', spoke: { model: 'scripted' }, reply: { type: 'reply' } });
    expect(acting[0]?.tools?.map(({ name }) => name)).toEqual(['stock', 'update_plan', 'readObservation', 'final']);
    const paths = new Set(run.observations.map(({ observation }) => observation.path));
    expect([run.observations.length, paths.size]).toEqual([4, 2]);
  });

  it('has what both protocols show, and models named by id need no key and no package', async () => {
    for (const textOnly of [true, false]) {
      const speak = functionModel((_, user) =>
        user.includes('obs-1')
          ? '{"type":"final","answer":"41."}'
          : '{"type":"tool","tool":"stock","args":{"part":"hinge"}}',
      );
      const model = textOnly ? speak : clerk('hinge');
      const recording = await record({ model, tools: [stock] });
      for (const choice of [model, 'openai:gpt-5-mini', { actor: 'exec:nothing', judge: 'openai:gpt-5-mini' }]) {
        const run = await rebuilt(recording, { model: choice, tools: [stock] });
        expect([run.complete, run.calls.length]).toEqual([true, 2]);
        expect(run.calls[0]?.spoke.model).toBe(textOnly ? 'function' : 'scripted');
      }
      // Where workers execute the runs, the models here only stand for theirs.
      const follow = { subscribe: async function* () {} };
      for (const model of [functionModel(() => ''), clerk(), () => ''])
        expect((await rebuilt(recording, { model, tools: [stock], follow })).complete).toBe(true);
    }
  });

  it('is rebuilt as far as it went: waiting, cut off, cancelled, failed', async () => {
    const options: AgentOptions = { model: clerk('hinge', 'order'), tools: [stock, order] };
    const waiting = await record(options);
    const run = await rebuilt(waiting, options);
    expect([run.complete, run.calls.length, run.observations.length]).toEqual([true, 2, 1]);
    const [host] = hosts;
    await host!.cancel('r');
    await host!.result('r');
    const cancelled = (await recordingOf(host!, 'r'))!;
    expect(cancelled.entries.length).toBe(waiting.entries.length + 1);
    expect((await rebuilt(cancelled, options)).calls.length).toBe(2);
    const cut = await rebuilt({ ...waiting, entries: waiting.entries.slice(0, 1) }, options);
    expect([cut.complete, cut.calls.length, cut.observations.length]).toEqual([true, 1, 0]);
    const failing = {
      model: scriptedModel([callTool('stock', { part: 'hinge' }), { error: { status: 400, message: 'no' } }]),
    };
    const failed = await rebuilt(await record({ ...failing, tools: [stock] }), { ...failing, tools: [stock] });
    expect([failed.complete, failed.calls.map(({ reply }) => reply.type)]).toEqual([true, ['reply', 'error']]);
  });

  it('gives what comes before a change of the code, and says what changed', async () => {
    const options: AgentOptions = { model: clerk('hinge', 'bolt'), tools: [stock] };
    const recording = await record(options);
    const changed = { ...stock, trust: 'trusted' as const, description: 'Counts.' };
    const other = await rebuilt(recording, { ...options, layers: [planAndSolve()] });
    expect([other.complete, other.calls, other.why]).toEqual([false, [], expect.stringContaining('entry 1 is "turn"')]);
    // The first prompt does not hold what the tool returned, the second does.
    const seeded = await rebuilt({ ...recording, seed: 'another' }, options);
    expect(seeded).toMatchObject({ complete: false, why: expect.stringContaining('the prompt differs') });
    expect(seeded.calls.map(({ messages }) => messages)).toEqual([2]);
    // Tools are told of apart from the messages, so these are the ones of the agent that is given.
    const retold = await rebuilt(recording, { ...options, tools: [changed] });
    expect(retold.calls[0]?.tools?.[0]).toMatchObject({ description: 'Counts.' });
  });

  it('has whole observations with their entries, those that hung or were refused too', async () => {
    const long = 'x'.repeat(50_000);
    const slow = tool({
      name: 'slow',
      description: 'Hangs on odd ones.',
      input: z.object({ at: z.number() }),
      effect: 'read',
      timeoutMs: 20,
      run: ({ at }) => (at % 2 === 1 ? new Promise(() => undefined) : long),
    });
    const model = scriptedModel([
      callTools(...[0, 1, 2, 3].map((at): [string, { at: number }] => ['slow', { at }])),
      callTool('slow', { at: 4 }),
      callFinal('done'),
    ]);
    const options: AgentOptions = { model, tools: [slow], budget: { toolCalls: 4 } };
    const recording = await record(options);
    const { observations } = await rebuilt(recording, options);
    const keyOf = (wanted: number | undefined) => recording.entries.find(({ seq }) => seq === wanted)?.key;
    expect(
      observations.map(({ observation: { id, status, content }, seq }) => [id, status, content.length, keyOf(seq)]),
    ).toEqual([
      ['obs-1', 'ok', 50_000, 'tool.slow'],
      ['obs-2', 'timeout', expect.any(Number), 'tool.slow#2'],
      ['obs-3', 'ok', 50_000, 'tool.slow#3'],
      ['obs-4', 'timeout', expect.any(Number), 'tool.slow#4'],
      ['obs-5', 'denied', expect.any(Number), 'tool.slow#5'],
    ]);
  });

  it('is bounded in time and in what it keeps', async () => {
    const parts = Array.from({ length: 20 }, (_, at) => `part ${at}`);
    const options: AgentOptions = { model: clerk(...parts), tools: [stock], solver: react({ maxSteps: 30 }) };
    const recording = await record(options);
    const whole = await rebuilt(recording, options);
    expect(whole.complete).toBe(true);
    const small = await rebuilt(recording, options, { mostBytes: whole.bytes / 2 });
    expect(small.why).toMatch(/larger than \d+ bytes/);
    expect(small.calls.length).toBeLessThan(whole.calls.length);
    expect(small.bytes).toBeLessThan(whole.bytes);
    const hanging = { ...options, layers: [hangs] };
    expect((await rebuilt(recording, hanging, { waitMs: 5 })).why).toMatch(/took too long/);
    const cut = { ...recording, entries: recording.entries.slice(0, 4), cut: true };
    expect(await rebuilt(cut, options)).toMatchObject({ complete: false, why: expect.stringContaining('more than 4') });
  });
});

describe('what prompts share', () => {
  it('is told by their bytes within a path, and every prompt comes out whole', () => {
    const texts = fc.array(fc.constantFrom('x', 'x', 'x', 'y'), { maxLength: 9 });
    const prompts = fc.array(fc.tuple(fc.constantFrom('', 'a'), texts), { maxLength: 20 });
    fc.assert(
      fc.property(prompts, (asked) => {
        const recording = { id: 'r', workflow: 'w', version: 1, seed: '', began: 0, input: {}, entries: [] };
        const run = new RebuiltRun(recording, { mostBytes: 1e9, full: () => undefined });
        for (const [path, said] of asked) {
          const transcript = transcriptOf(...said.map(userMessage));
          const reply = { type: 'error' as const, message: '', usage: noUsage, fingerprint: '' };
          run.onModelCall({ path, step: 's', role: 'actor', transcript, spoke: { model: 'm', provider: 'p' }, reply });
        }
        for (const [index, [path, said]] of asked.entries()) {
          expect(run.prompt(index)).toEqual(said.map(userMessage));
          const before = asked.slice(0, index).findLast(([other]) => other === path)?.[1] ?? [];
          const different = said.findIndex((text, at) => text !== before[at]);
          expect(run.calls[index]?.shared).toBe(different < 0 ? said.length : different);
        }
      }),
      { numRuns: 100 },
    );
  });
});

const hangs = {
  name: 'hangs',
  config: {},
  place: 'checking' as const,
  wrap: () => () => new Promise<never>(() => undefined),
};
