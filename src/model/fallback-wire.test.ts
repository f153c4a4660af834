import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent.ts';
import {
  startVendorServer,
  type VendorReply,
  type VendorRequest,
  vendorEnvironment,
} from '../testing/vendor-server.ts';
import { tool } from '../tools/tool.ts';
import { wakeUp } from './fallback.ts';
import { resolveModel } from './resolve.ts';

const clockThat = (does: () => void) =>
  tool({
    name: 'clock',
    description: 'Reads the clock.',
    input: z.object({ zone: z.string() }),
    effect: 'read',
    run: () => {
      does();
      return 'it is noon';
    },
  });
const clock = clockThat(() => {});

const ids = [
  'anthropic:claude-sonnet-4-5',
  'openai:gpt-5-mini',
  'google:gemini-2.5-flash',
  'mistral:mistral-medium-latest',
  'deepseek:deepseek-v4-flash',
  'moonshotai:kimi-k2.5',
  'openrouter:anthropic/claude-sonnet-4.6',
  'bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0',
  'ollama:qwen3:4b',
];
/** Each with the three behind it, so that every one comes first and second. */
const pairs = ids.flatMap((from, at) =>
  [1, 2, 3].map((step): [string, string] => [from, ids[(at + step) % ids.length] ?? from]),
);

const think = (reasoning: string, name: string, args: VendorArgs): VendorReply => ({
  type: 'tool-calls',
  calls: [{ name, args }],
  reasoning,
});
type VendorArgs = Extract<VendorReply, { type: 'tool-calls' }>['calls'][number]['args'];

/** The first model thinks, calls and is refused from then on; the second one thinks, calls and answers. */
function play(first: string): (request: VendorRequest) => VendorReply {
  const asked = new Map<string, number>();
  return ({ vendor }) => {
    const count = (asked.get(vendor) ?? 0) + 1;
    asked.set(vendor, count);
    if (first.startsWith(vendor)) {
      if (count > 1) return { type: 'http-error', status: 401, message: 'the key was withdrawn' };
      return think('a private thought of the first', 'clock', { zone: 'first' });
    }
    return count === 1
      ? think('a thought of the second', 'clock', { zone: 'second' })
      : think('done', 'final', { answer: 'noon', claims: [] });
  };
}

describe('a run that goes on with another vendor', () => {
  it.each(pairs)(
    '%s, then %s: what the first one sealed stays with it, and no request is refused',
    async (from, to) => {
      const server = await startVendorServer({ script: play(from) });
      try {
        const env = vendorEnvironment(server.url);
        const models: LanguageModelV4[] = [];
        for (const id of [from, to]) models.push(await resolveModel(id, { env, onWarning: () => {} }));
        const result = await defineAgent({ model: models, tools: [clock] }).run('what time is it');
        expect(result).toMatchObject({ answer: 'noon', usage: { modelCalls: 4 } });
        const bodies = server.requests
          .filter(({ vendor }) => !from.startsWith(vendor))
          .map(({ body, refused }) => ({ text: JSON.stringify(body), refused }));
        expect(bodies).toHaveLength(2);
        for (const [index, { text, refused }] of bodies.entries()) {
          expect(refused).toBeUndefined();
          expect(text).not.toContain('private thought');
          // The only seal is its own, in the second request.
          expect(text.split(/signed|sealed/).length - 1).toBeLessThanOrEqual(index);
          // The call itself and what it returned are the program's.
          expect(text).toContain('it is noon');
        }
      } finally {
        await server.close();
      }
    },
  );

  it('sends to a model what it said itself, seal and all, after another one stood in', async () => {
    const answers: VendorReply[] = [
      think('first thought', 'clock', { zone: 'one' }),
      { type: 'http-error', status: 401 },
      { type: 'tool-calls', calls: [{ name: 'clock', args: { zone: 'two' } }], reasoning: 'foreign thought' },
      think('second thought', 'final', { answer: 'noon', claims: [] }),
    ];
    const server = await startVendorServer({ script: answers });
    try {
      const env = vendorEnvironment(server.url);
      const [first, second] = [
        await resolveModel('anthropic:claude-sonnet-4-5', { env }),
        await resolveModel('deepseek:deepseek-v4-flash', { env }),
      ];
      // Put to rest by a failure and woken for the last turn, as when the five minutes are over.
      const clockThatWakes = clockThat(() => {
        if (server.requests.length === 3) wakeUp(first);
      });
      const result = await defineAgent({ model: [first, second], tools: [clockThatWakes] }).run('what time is it');
      expect(result.answer).toBe('noon');
      const last = JSON.stringify(server.requests[3]?.body);
      expect(server.requests.map(({ vendor }) => vendor)).toEqual(['anthropic', 'anthropic', 'deepseek', 'anthropic']);
      expect(last).toContain('"thinking":"first thought","signature":"signed"');
      expect(last).not.toContain('foreign thought');
    } finally {
      await server.close();
    }
  });
});
