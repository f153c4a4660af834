import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Budget } from '../core/budget.ts';
import type { RunEvent } from '../core/event.ts';
import { inMemoryHost } from '../runtime/in-memory.ts';
import { createRun } from '../solver/run.ts';
import { defaultPolicy, permitOf } from '../tools/policy/policy.ts';
import { type Asked, ask, type Question } from './ask.ts';
import { type ScriptedReply, scriptedModel } from './providers/script-model.ts';

const schema: z.ZodType<{ city: string; people?: number | undefined }> = z.object({
  city: z.string(),
  people: z.number().optional(),
});

/** Asks inside a run of its own. */
async function asking(
  replies: ScriptedReply[],
  options: Partial<Question<{ city: string }>> = {},
  onRole: (role: string) => void = () => {},
) {
  const model = scriptedModel(replies);
  const host = inMemoryHost();
  const events: RunEvent[] = [];
  let asked: Asked<{ city: string }> | undefined;
  host.register({
    name: 'ask',
    version: 1,
    run: async (durable) => {
      const services = {
        model: (role: string) => {
          onRole(role);
          return model;
        },
        priceOf: () => 'free' as const,
        redact: (text: string) => text,
        redactJson: <T>(value: T): T => value,
        tools: new Map(),
        policy: defaultPolicy,
        permit: permitOf(defaultPolicy, undefined),
        stream: false,
        sink: (event: RunEvent) => void events.push(event),
      };
      const run = createRun(durable, { services, budget: new Budget({ modelCalls: 10 }), kept: {} });
      asked = await ask(run, {
        step: 'q',
        role: 'planner',
        system: 'ROLE planner',
        prompt: 'Which city?',
        schema,
        ...options,
      });
    },
  });
  await host.start('ask', 'run', null);
  await host.result('run');
  return { asked, model, events };
}

describe('ask', () => {
  it('returns the validated value and shows the schema in the prompt and in the request', async () => {
    const { asked, model } = await asking(['{"city":"Oslo","people":700000}']);
    expect(asked).toEqual({ ok: true, value: { city: 'Oslo', people: 700_000 } });
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('JSON Schema');
    expect(model.calls[0]?.responseFormat).toMatchObject({ type: 'json', name: 'q' });
  });

  it('names the request for its own question, whatever else was asked with this schema before', async () => {
    const { model } = await asking(['{"city":"Oslo"}'], { step: 'which.city' });
    expect(model.calls[0]?.responseFormat).toMatchObject({ name: 'which_city' });
  });

  it.each([
    ['a fence', '```json\n{"city":"Oslo"}\n```'],
    ['prose', 'Here it is: {"city":"Oslo"} as you wished.'],
    ['reasoning', '<think>{"city":"Bergen"}?</think>{"city":"Oslo"}'],
    ['a null for what is optional', '{"city":"Oslo","people":null}'],
  ])('needs no second call for %s', async (_, text) => {
    const { asked, model } = await asking([text]);
    expect(asked).toMatchObject({ ok: true, value: { city: 'Oslo' } });
    expect(model.calls).toHaveLength(1);
  });

  it('tells the model what was wrong, on the same conversation, a bounded number of times', async () => {
    const { asked, model } = await asking(['{"city":7}', 'nothing', '{"town":"Oslo"}', '{"city":"Oslo"}']);
    expect(asked).toMatchObject({ ok: false, why: 'invalid' });
    expect(model.calls).toHaveLength(3);
    const second = JSON.stringify(model.calls[1]?.prompt);
    expect(second).toContain('city');
    expect(second).toContain('expected string');
    expect(second.startsWith(JSON.stringify(model.calls[0]?.prompt).slice(0, -1))).toBe(true);
  });

  it('asks the model of its role', async () => {
    const roles: string[] = [];
    await asking(['{"city":"Oslo"}'], { role: 'judge' }, (role) => roles.push(role));
    expect([...new Set(roles)]).toEqual(['judge']);
  });

  it('takes the value from a call, where a server answers a schema with one', async () => {
    const { asked } = await asking([{ calls: [{ tool: 'json', input: { city: 'Oslo' } }] }]);
    expect(asked).toMatchObject({ ok: true, value: { city: 'Oslo' } });
  });

  it('tells of a repair, and never sends an empty message back', async () => {
    const { asked, model, events } = await asking(['', "{'city': 'Oslo'}"]);
    expect(events.filter(({ type }) => type === 'model.repaired')).toMatchObject([{ step: 'q' }]);
    expect(asked).toMatchObject({ ok: true, value: { city: 'Oslo' } });
    const said = model.calls[1]?.prompt.find((message) => message.role === 'assistant');
    expect(said?.content).toEqual([{ type: 'text', text: '(nothing)' }]);
  });

  it('does not use a reply that the output limit cut', async () => {
    const { asked, model } = await asking([{ text: '{"city":"Os"}', finish: 'length' }, '{"city":"Oslo"}']);
    expect(asked).toMatchObject({ ok: true, value: { city: 'Oslo' } });
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('output limit');
  });

  it('stops at a refusal, at a failing model, and at a limit', async () => {
    expect((await asking([{ refusal: 'no' }])).asked).toMatchObject({ why: 'refused' });
    expect((await asking([{ error: { status: 401, message: 'key' } }])).asked).toMatchObject({ why: 'model-error' });
    const empty = await asking(
      Array.from({ length: 12 }, () => ''),
      { tries: 12 },
    );
    expect(empty.asked).toMatchObject({ why: 'limit' });
  });
});
