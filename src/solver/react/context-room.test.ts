import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { ModelTraits } from '../../model/capability.ts';
import { messageText } from '../../model/prompt-text.ts';
import { type ScriptedReply, type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';

/** Gives text that is never the same, so that the loop has no other reason to end. */
function pages(text: (page: number) => string): Tool {
  return tool({
    name: 'page',
    description: 'Reads a page.',
    input: z.object({ n: z.number() }),
    effect: 'read',
    run: ({ n }) => `page ${n}: ${text(n)}`,
  });
}

const reading: ScriptFunction = ({ toolChoice }, { call }) =>
  toolChoice?.type === 'tool' ? callFinal('what was read') : callTool('page', { n: call });

async function read(script: ScriptFunction, traits: ModelTraits, options: Partial<AgentOptions> = {}) {
  const model = Object.assign(scriptedModel(script), traits);
  const tools = [pages(() => 'line of words\n'.repeat(600))];
  const result = await defineAgent({ model, tools, ...options }).run('read all pages');
  return { model, result };
}

/** The tokens of a request where each has three bytes: more than it has. */
function tokensOf({ prompt, tools }: LanguageModelV4CallOptions): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(prompt) + JSON.stringify(tools ?? '')) / 3);
}

function lastText(call: LanguageModelV4CallOptions | undefined): string {
  const last = call?.prompt.at(-1);
  return last ? messageText(last) : '';
}

const small = (contextTokens: number): ModelTraits => ({ contextTokens, small: true, forcesCalls: true });

describe('a context that runs out', () => {
  it('ends the loop with a limit that says so and an answer from what was found', async () => {
    const { model, result } = await read(reading, small(2_048));
    expect(result).toMatchObject({ status: 'stopped', answer: 'what was read', reason: { code: 'context' } });
    expect(result.reason.detail).toMatch(
      /of the 2048 tokens of the model's context are used. Give it a longer context/,
    );
    expect(result.attempt).toMatchObject({ degraded: true, ended: { type: 'limit', limit: 'context' } });
    expect(model.calls.length).toBeGreaterThan(2);
    expect(model.calls.at(-1)?.toolChoice).toEqual({ type: 'tool', toolName: 'final' });
  });

  it('takes nothing back: every request begins with the one before', async () => {
    const { model } = await read(reading, small(2_048));
    const prompts = model.calls.map(({ prompt }) => JSON.stringify(prompt).slice(0, -1));
    for (const [index, prompt] of prompts.slice(1).entries())
      expect(prompt.startsWith(prompts[index] ?? '?')).toBe(true);
  });

  it('ends the loop of a large model as well, whose observations are shown as ever', async () => {
    const { model, result } = await read(reading, { contextTokens: 12_000 });
    expect(result).toMatchObject({ status: 'stopped', answer: 'what was read', reason: { code: 'context' } });
    expect(lastText(model.calls[1])).toContain('characters 0 to 4488 and ');
    expect(model.calls[0]).not.toHaveProperty('maxOutputTokens');
  });

  it('is not asked at all for what cannot fit', async () => {
    const model = Object.assign(scriptedModel([]), small(1_024));
    const result = await defineAgent({ model }).run('long '.repeat(2_000));
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'context' } });
    expect(model.calls).toEqual([]);
  });

  it('leaves out a plan that cannot be asked for', async () => {
    const asked: string[] = [];
    const model = Object.assign(
      scriptedModel((_, { role }) => {
        asked.push(role);
        return callFinal('x');
      }),
      { small: true, forcesCalls: true as const, contextTokens: 1_024 },
    );
    const task = { input: 'x', constraints: ['long '.repeat(300)] };
    const agent = defineAgent({ model, layers: [planAndSolve()], tools: [pages((n) => `${n}`)] });
    const failed: string[] = [];
    const handle = agent.run(task);
    for await (const event of handle) if (event.type === 'plan.failed') failed.push(event.why);
    expect(failed).toEqual([expect.stringMatching(/^the question has about \d+ tokens and the model's context 1024/)]);
    expect(asked).not.toContain('planner');
  });

  it('goes by what the provider counts, where that is more than the bytes say', async () => {
    const counting =
      (perByte: number): ScriptFunction =>
      async (call, info) => {
        const reply = await reading(call, info);
        const inputTokens = Math.round(Buffer.byteLength(JSON.stringify(call.prompt)) * perByte);
        return { ...Object(reply), usage: { inputTokens, outputTokens: 20 } } satisfies ScriptedReply;
      };
    const dense = await read(counting(0.8), small(8_192));
    const airy = await read(counting(0.2), small(8_192));
    expect(dense.result.reason.code).toBe('context');
    expect(dense.model.calls.length).toBeLessThan(airy.model.calls.length);
  });

  it('is no reason to end where it is only assumed', async () => {
    const { result } = await read(reading, { small: true, forcesCalls: true });
    expect(result.reason.code).toBe('steps');
  });
});

describe('what a small model is shown', () => {
  it('is a labelled excerpt that gets shorter as the context fills, and can be read on', async () => {
    const script: ScriptFunction = (call, info) =>
      info.call === 3 ? callTool('readObservation', { id: 'obs-1', from: 2_000 }) : reading(call, info);
    const { model } = await read(script, small(4_096));
    const shown = [1, 2].map((index) => lastText(model.calls[index]).length);
    expect(shown[0]).toBeLessThan(4_096);
    expect(shown[1]).toBeLessThan(shown[0] ?? 0);
    expect(lastText(model.calls[1])).toMatch(
      /\[obs-1\] page ok, untrusted, characters 0 to \d+ and \d+ to 8408 of 8408; read the rest with readObservation/,
    );
    expect(lastText(model.calls[3])).toMatch(/\[obs-1\] page ok, untrusted, characters 2000 to \d+ of 8408; read on/);
  });

  it('fits, whatever tools return and however long the context is', async () => {
    const texts = fc.constantFrom('1', 'word ', '港口', 'é\n', '{"a":"b"} ', '🙂');
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1_500, max: 9_000 }),
        texts,
        fc.integer({ min: 1, max: 4_000 }),
        async (context, text, times) => {
          const model = Object.assign(scriptedModel(reading), small(context));
          const tools = [pages((n) => text.repeat(times + n))];
          const result = await defineAgent({ model, tools, budget: { tokens: undefined } }).run('read all pages');
          expect(['context', 'steps']).toContain(result.reason.code);
          expect(result.answer).toBe('what was read');
          for (const call of model.calls)
            expect(tokensOf(call) + (call.maxOutputTokens ?? 0)).toBeLessThanOrEqual(context);
        },
      ),
      { numRuns: 30 },
    );
  });
});
