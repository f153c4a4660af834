import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import type { Limits } from '../../core/budget.ts';
import type { RunEvent } from '../../core/event.ts';
import { inMemoryLessons } from '../../memory/in-memory-lessons.ts';
import type { LessonStore } from '../../memory/memory.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal } from '../../testing/replies.ts';
import { lessons } from './lessons.ts';

/** Texts about ships point one way, all others another. */
function embedder(change: Partial<EmbeddingModelV4> = {}): EmbeddingModelV4 & { embedded: string[][] } {
  const embedded: string[][] = [];
  return {
    specificationVersion: 'v4',
    provider: 'maker',
    modelId: 'small',
    maxEmbeddingsPerCall: 8,
    supportsParallelCalls: false,
    async doEmbed({ values }) {
      embedded.push(values);
      const embeddings = values.map((text) => (/ship|vessel|schooner/.test(text) ? [1, 0] : [0, 1]));
      return { embeddings, usage: { tokens: 5 * values.length }, warnings: [] };
    },
    ...change,
    embedded,
  };
}

const draft = {
  trigger: 'crew of a vessel',
  failurePattern: 'passengers counted as crew',
  lesson: 'Read the muster roll, leave passengers out',
  avoid: '',
};

async function taught(): Promise<LessonStore> {
  const store = inMemoryLessons();
  await store.admit(draft, { id: 'l1', source: 'r', scope: 'default', now: Date.now() });
  return store;
}

interface Given {
  host?: DurableHost;
  budget?: Limits;
}

async function run(
  store: LessonStore,
  embedding: EmbeddingModelV4,
  { host = inMemoryHost(), budget = {} }: Given = {},
) {
  const model = scriptedModel(() => callFinal('twelve'));
  const agent = defineAgent({ model, host, layers: [lessons({ store, embedding })] });
  const handle = agent.run('who sailed on the schooner', { runId: 'r', budget });
  const events: RunEvent[] = [];
  for await (const event of handle) events.push(event);
  const recalled = events.flatMap((event) => (event.type === 'lesson.recalled' ? event.lessons : []));
  const failed = events.flatMap((event) => (event.type === 'lesson.failed' ? [event.why] : []));
  return { result: await handle, recalled: recalled.map(({ id }) => id), failed };
}

describe('recall by meaning', () => {
  it('finds a lesson that shares no word with the task, and embeds what has no embedding yet, once', async () => {
    const store = await taught();
    const model = embedder();
    expect((await run(store, model)).recalled).toEqual(['l1']);
    expect(model.embedded).toEqual([['who sailed on the schooner'], ['crew of a vessel\npassengers counted as crew']]);
    await run(store, model);
    expect(model.embedded).toHaveLength(3);
  });

  it('embeds anew when the model is another one', async () => {
    const store = await taught();
    await run(store, embedder());
    const other = embedder({ modelId: 'large' });
    expect((await run(store, other)).recalled).toEqual(['l1']);
    expect(other.embedded).toHaveLength(2);
  });

  it('is counted, and its vectors are in no journal', async () => {
    const host = inMemoryHost();
    const { result } = await run(await taught(), embedder(), { host });
    expect(result.usage).toMatchObject({ modelCalls: 1, unpricedCalls: 2 });
    expect(result.usage.inputTokens).toBeGreaterThanOrEqual(10);
    const entries = await Array.fromAsync(host.journal('r'));
    expect(JSON.stringify(entries.filter(({ key }) => key.includes('lessons')))).not.toMatch(/\[1,0\]|\[0,1\]/);
  });

  it('goes on with words alone when the model fails, answers wrongly, or may not be paid, and says so', async () => {
    const store = await taught();
    const broken = embedder({ doEmbed: () => Promise.reject(new Error('no such host')) });
    const short = embedder({ doEmbed: async () => ({ embeddings: [], warnings: [] }) });
    const cases: [EmbeddingModelV4, Limits, RegExp][] = [
      [broken, {}, /words alone.*no such host/],
      [short, {}, /gave 0 embeddings for 1 texts/],
      [embedder(), { tokens: 1 }, /limit tokens/],
    ];
    for (const [model, budget, why] of cases) {
      const { recalled, failed } = await run(store, model, { budget });
      expect(recalled).toEqual([]);
      expect(failed).toEqual([expect.stringMatching(why)]);
    }
  });

  it('comes out the same in a fork at any entry, and is not asked again for what is recorded', async () => {
    const host = inMemoryHost();
    const { result } = await run(await taught(), embedder(), { host });
    const entries = await Array.fromAsync(host.journal('r'));
    const recallAt = entries.findIndex(({ key }) => key.startsWith('lessons.recall'));
    expect(recallAt).toBeGreaterThanOrEqual(0);
    for (let at = 0; at <= entries.length; at++) {
      const embedding = embedder();
      const store = await taught();
      if (at > recallAt) await store.forget('l1');
      const model = scriptedModel(() => callFinal('twelve'));
      const agent = defineAgent({ model, host, layers: [lessons({ store, embedding })] });
      await host.fork('r', `fork-${at}`, { at });
      const forked = await agent.resume(`fork-${at}`);
      expect(embedding.embedded).toHaveLength(at > recallAt ? 0 : 2);
      expect(forked).toMatchObject({ answer: 'twelve', status: result.status, usage: result.usage });
    }
  });
});
