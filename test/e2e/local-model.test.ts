/** An agent on a model file: the real loader, tokenizer, chat template, grammar and loop, with the tiny stand-in for a model. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, type RunEvent, tool } from '../../src/index.ts';
import { closeLocalModels } from '../../src/model/local/resolve-local.ts';
import { resolveModel } from '../../src/model/resolve.ts';
import { whyNoLlama } from '../../src/testing/llama-missing.ts';
import { writeTinyModel } from '../../src/testing/tiny-model.ts';

const missing = await whyNoLlama();

describe.skipIf(missing)(`an agent on local:FILE${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-local-agent-'));
  // The name says the size, so the loop asks as it asks small models.
  const file = join(folder, 'tiny-0.1b.gguf');
  beforeAll(() => writeTinyModel(file));
  afterAll(async () => {
    await closeLocalModels();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(['in-process', 'process'] as const)(
    'calls a tool and answers with what it found (%s)',
    async (isolation) => {
      const asked: unknown[] = [];
      const stock = tool({
        name: 'count_stock',
        description: 'Counts items in a store.',
        input: z.object({ item: z.string(), shelf: z.number().int().min(1).optional() }),
        effect: 'read',
        run: (input) => {
          asked.push(input);
          return { count: 21 };
        },
      });
      const model = await resolveModel(`local:${file}`, { local: { isolation, threads: 1, gpu: false } });
      const events: RunEvent[] = [];
      const agent = defineAgent({
        model,
        tools: [stock],
        layers: [],
        sinks: [{ name: 'test', write: (event) => void events.push(event) }],
      });
      const { answer, attempt } = await agent.run('How many bolts are there?');
      expect(asked).toEqual([{ item: 'tiny', shelf: 7 }]);
      expect(attempt.observations).toMatchObject([{ tool: 'count_stock', status: 'ok' }]);
      expect([attempt.ended.type, answer]).toEqual(['final', 'tiny']);
      const calls = events.filter((event) => event.type === 'model.call');
      expect(calls.map(({ outcome, provider }) => [outcome, provider])).toEqual([
        ['reply', 'node-llama-cpp'],
        ['reply', 'node-llama-cpp'],
      ]);
      const [first, second] = calls.map(({ usage }) => usage);
      expect(second?.cachedTokens).toBeGreaterThan(0.9 * Number(first?.inputTokens));
    },
  );
});
