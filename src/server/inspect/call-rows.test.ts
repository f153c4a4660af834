import type { LanguageModelV4 } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { Agent } from '../../agent.ts';
import { rebuildRun } from '../../rebuild-run.ts';
import { recordingOf } from '../../runtime/replay-journal.ts';
import { callView } from './call-rows.ts';

test('what belongs to a provider, its reasoning and its signatures, is shown neither in a prompt nor in a reply', async () => {
  const signed = { providerMetadata: { vendor: { signature: 'SIGNED' } } };
  let turn = 0;
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'vendor',
    modelId: 'thinker',
    supportedUrls: {},
    doGenerate: async () => ({
      content: [
        { type: 'reasoning', text: 'SECRET THOUGHT', ...signed },
        turn++ === 0
          ? { type: 'text', text: 'not an action', ...signed }
          : { type: 'tool-call', toolCallId: 'c', toolName: 'final', input: '{"answer":"done"}', ...signed },
      ],
      finishReason: { unified: 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
    doStream: () => Promise.reject(new Error('not used')),
  };
  const agent = new Agent({ model });
  const run = agent.run('x', { runId: 'r' });
  expect((await run).answer).toBe('done');
  const rebuilt = await rebuildRun((await recordingOf(agent.host, 'r'))!, agent.options);
  expect(rebuilt.complete).toBe(true);
  expect(JSON.stringify(rebuilt.prompt(1))).toMatch(/SECRET THOUGHT.*SIGNED/);
  const views = rebuilt.calls.map((call) => callView(rebuilt, call));
  expect(JSON.stringify(views)).not.toMatch(/SECRET|SIGNED/);
  expect(views[1]).toMatchObject({
    prompt: [
      { role: 'system', content: expect.any(String) },
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '' },
          { type: 'text', text: 'not an action' },
        ],
      },
      { role: 'user' },
    ],
    reply: [
      { type: 'reasoning', text: '' },
      { type: 'tool-call', toolName: 'final', input: '{"answer":"done"}' },
    ],
  });
  await agent.close();
});
