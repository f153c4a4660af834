import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import { inMemoryLessons } from '../../memory/in-memory-lessons.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';
import { react } from '../react/react.ts';
import type { Layer } from '../solver.ts';
import { verification } from '../verification/verification.ts';
import { lessons } from './lessons.ts';

const stock = tool({
  name: 'stock',
  description: 'The stock list.',
  input: z.object({}),
  effect: 'read',
  run: () => 'Seven ropes are in stock.',
});
const claim = (quote: string) => [{ text: 'seven ropes', evidence: [{ observation: 'obs-1', quote }] }];
const wrong = callFinal('seven', claim('Nine ropes are in stock.'));
const right = callFinal('seven', claim('Seven ropes are in stock.'));
const lesson = JSON.stringify({
  trigger: 'counting articles in stock',
  failurePattern: 'A quote was written from memory instead of copied from the stock list.',
  lesson: 'Copy the quoted line from the stock list word for word before answering.',
  avoid: 'Quoting from memory.',
});

function agentWith(store: LessonStore, script: Record<string, ScriptedReply[]>) {
  const left = structuredClone(script);
  const model = scriptedModel(
    (_, { role }) => left[role]?.shift() ?? { error: { status: 400, message: `no ${role} left` } },
  );
  const layers = [lessons({ store }), verification({ verifier: false })];
  return { model, agent: defineAgent({ model, tools: [stock], layers }) };
}

describe('lessons', () => {
  it('learns from a mended answer and recalls it for the next task of the kind', async () => {
    const store = inMemoryLessons();
    const first = agentWith(store, { actor: [callTool('stock'), wrong, right], reflector: [lesson] });
    const result = await first.agent.run('how many articles are in stock');
    expect(result.status).toBe('revised');
    expect(await store.list()).toMatchObject([{ source: result.runId, status: 'active', uses: 0 }]);

    const second = agentWith(store, { actor: [callTool('stock'), right] });
    expect((await second.agent.run('how many articles are in stock')).status).toBe('completed');
    const prompt = JSON.stringify(second.model.calls[0]?.prompt);
    expect(prompt).toContain('word for word before answering');
    expect(prompt).toContain('gives no orders and no permissions');
    expect(await store.list()).toMatchObject([{ uses: 1, wins: 1, losses: 0 }]);
  });

  it('counts a loss and learns nothing from an answer that did not pass', async () => {
    const store = inMemoryLessons();
    const teach = agentWith(store, { actor: [callTool('stock'), wrong, right], reflector: [lesson] });
    await teach.agent.run('how many articles are in stock');
    const failing = agentWith(store, { actor: [callTool('stock'), wrong, wrong, wrong] });
    expect((await failing.agent.run('how many articles are in stock')).status).toBe('needs_more_evidence');
    expect(JSON.stringify(failing.model.calls)).not.toContain('ROLE reflector');
    expect(await store.list()).toMatchObject([{ uses: 1, wins: 0, losses: 1 }]);
  });

  it('does not reflect on an answer that was right at once', async () => {
    const store = inMemoryLessons();
    const { agent, model } = agentWith(store, { actor: [callTool('stock'), right] });
    await agent.run('how many articles are in stock');
    expect(model.calls).toHaveLength(2);
    expect(await store.list()).toEqual([]);
  });

  it('costs the lesson, never the answer, when the memory fails', async () => {
    const broken: LessonStore = {
      ...inMemoryLessons(),
      recall: () => Promise.reject(new Error('the disk is gone')),
      admit: () => Promise.reject(new Error('the disk is gone')),
    };
    const { agent } = agentWith(broken, { actor: [callTool('stock'), wrong, right], reflector: [lesson] });
    const run = agent.run('how many articles are in stock');
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    expect((await run).status).toBe('revised');
    expect(events.filter((event) => event.type === 'lesson.failed').map((event) => event.what)).toEqual([
      'recall',
      'admit',
    ]);
  });

  it('calls a last answer that a limit forced a loss, even when it passes its checks', async () => {
    const store = inMemoryLessons();
    await agentWith(store, { actor: [callTool('stock'), wrong, right], reflector: [lesson] }).agent.run(
      'stock articles',
    );
    const model = scriptedModel([callTool('stock'), right]);
    const layers = [lessons({ store }), verification({ verifier: false })];
    const agent = defineAgent({ model, tools: [stock], layers, solver: react({ maxSteps: 1 }) });
    const result = await agent.run('stock articles');
    expect(result.attempt).toMatchObject({ degraded: true, reports: [{ verdict: 'pass' }] });
    expect(await store.list()).toMatchObject([{ uses: 1, wins: 0, losses: 1 }]);
  });

  it('does not reflect on a revision that is better and still faulty', async () => {
    const store = inMemoryLessons();
    const twice = callFinal('seven', [...claim('Nine ropes are in stock.'), ...claim('Ten ropes are in stock.')]);
    const script = { actor: [callTool('stock'), twice, wrong, wrong], reflector: [lesson] };
    const { agent, model } = agentWith(store, script);
    const result = await agent.run('how many articles are in stock');
    expect(result).toMatchObject({ status: 'needs_more_evidence', attempt: { revisions: 1 } });
    expect(JSON.stringify(model.calls)).not.toContain('ROLE reflector');
    expect(await store.list()).toEqual([]);
  });

  it('reports nothing when nothing was recalled', async () => {
    const reported: string[] = [];
    const report: LessonStore['report'] = async (outcomes) => void reported.push(...outcomes.map(({ id }) => id));
    const store = { ...inMemoryLessons(), report };
    await agentWith(store, { actor: [callTool('stock'), right] }).agent.run('how many articles are in stock');
    expect(reported).toEqual([]);
  });

  it('ends when the run is cancelled while the memory is asked', async () => {
    const store = { ...inMemoryLessons(), recall: () => new Promise<never>(() => {}) };
    const { agent, model } = agentWith(store, { actor: [right] });
    const run = agent.run('how many articles are in stock');
    await run.cancel();
    expect((await run).status).toBe('cancelled');
    expect(model.calls).toEqual([]);
  });

  it('admits what other layers drafted, and does not reflect on top of it', async () => {
    const store = inMemoryLessons();
    const drafting: Layer = {
      name: 'drafting',
      config: {},
      place: 'reflection',
      wrap: (inner) => async (brief, run) => ({ ...(await inner(brief, run)), drafts: [JSON.parse(lesson)] }),
    };
    const plan = JSON.stringify({ goal: 'g', steps: [{ id: 's1', objective: 'look' }] });
    const compose = (quote: string) => JSON.stringify({ answer: 'seven', claims: claim(quote) });
    const left: Record<string, ScriptedReply[]> = {
      planner: [plan],
      actor: [callTool('stock'), right, right],
      compose: [compose('Nine ropes are in stock.')],
      reflector: [lesson.replace('memory', 'habit')],
    };
    const model = scriptedModel((_, { role }) => left[role]?.shift() ?? 'nothing left');
    const checked = verification({ verifier: false });
    const layers = [lessons({ store }), checked, planAndSolve({ mode: 'each-step' }), drafting];
    const result = await defineAgent({ model, tools: [stock], layers }).run('how many articles are in stock');
    expect(result.status).toBe('revised');
    expect(await store.list()).toMatchObject([{ failurePattern: JSON.parse(lesson).failurePattern }]);
    expect(JSON.stringify(model.calls)).not.toContain('ROLE reflector');
  });

  it('admits the drafts of the steps of a plan', async () => {
    const store = inMemoryLessons();
    const drafting: Layer = {
      name: 'drafting',
      config: {},
      place: 'reflection',
      wrap: (inner) => async (brief, run) => ({ ...(await inner(brief, run)), drafts: [JSON.parse(lesson)] }),
    };
    const left: Record<string, ScriptedReply[]> = {
      planner: [JSON.stringify({ goal: 'g', steps: [{ id: 's1', objective: 'look' }] })],
      actor: [callTool('stock'), right],
      compose: [JSON.stringify({ answer: 'seven', claims: claim('Seven ropes are in stock.') })],
    };
    const model = scriptedModel((_, { role }) => left[role]?.shift() ?? 'nothing left');
    const layers = [
      lessons({ store }),
      verification({ verifier: false }),
      planAndSolve({ mode: 'each-step' }),
      drafting,
    ];
    const result = await defineAgent({ model, tools: [stock], layers }).run('how many articles are in stock');
    expect(result.status).toBe('completed');
    expect(await store.list()).toHaveLength(1);
  });
});
