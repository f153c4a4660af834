import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import { inMemoryLessons } from '../../memory/in-memory-lessons.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
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
    expect(JSON.stringify(second.model.calls[0]?.prompt)).toContain('word for word before answering');
    expect(await store.list()).toMatchObject([{ uses: 1, wins: 1, losses: 0 }]);
  });

  it('counts a loss and learns nothing from an answer that did not pass', async () => {
    const store = inMemoryLessons();
    const teach = agentWith(store, { actor: [callTool('stock'), wrong, right], reflector: [lesson] });
    await teach.agent.run('how many articles are in stock');
    const failing = agentWith(store, { actor: [callTool('stock'), wrong, wrong, wrong] });
    expect((await failing.agent.run('how many articles are in stock')).status).toBe('needs_more_evidence');
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
});
