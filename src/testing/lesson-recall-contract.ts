/** The part of the lesson contract that says what is found: by meaning, within limits, where it applies. */
import { describe, expect, test } from 'vitest';
import {
  admit,
  freight,
  library,
  type MakeLessonStore,
  numbered,
  recall,
  report,
  start,
} from './lesson-contract-fixture.ts';

const small = (...vector: number[]) => ({ model: 'maker:small', vector });

export function lessonRecallContract(fresh: MakeLessonStore): void {
  describe('recall', () => {
    test('a lesson is passed over where it does not apply', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1', { applies: { taskKind: 'sums', tools: ['scales', 'sums'], model: 'maker:x' } });
      const found = (applies?: object) => recall(store, 'pallets', applies ? { applies } : {});
      expect(await found()).toEqual(['l1']);
      expect(await found({ taskKind: 'sums', tools: ['sums', 'other', 'scales'], model: 'maker:x' })).toEqual(['l1']);
      expect(await found({ taskKind: 'quotes' })).toEqual([]);
      expect(await found({ tools: ['sums'] })).toEqual([]);
      expect(await found({ model: 'maker:y' })).toEqual([]);
    });

    test('the texts stay within the tokens; what does not fit makes place for what does', async () => {
      const { store } = await fresh();
      for (const index of [0, 1, 2]) await admit(store, numbered(index), `l${index}`);
      await store.edit('l1', { lesson: `${numbered(1).lesson}, ${'and once more '.repeat(30)}` }, start);
      await report(store, 'l1', 'win', { key: 'k' });
      expect(await recall(store, 'shared topic')).toHaveLength(3);
      const [first, ...others] = await recall(store, 'shared topic', { maxTokens: 60 });
      expect([first, ...others].sort()).toEqual(['l0', 'l2']);
      expect(await recall(store, 'shared topic', { maxTokens: 5 })).toEqual([]);
    });

    test('a text with other words finds by its embedding; one that is far finds nothing', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1', { embedding: small(1, 0, 0) });
      await admit(store, library, 'l2', { embedding: small(0, 1, 0) });
      expect(await recall(store, 'transport of goods', { embedding: small(0.9, 0.1, 0) })).toEqual(['l1']);
      expect(await recall(store, 'transport of goods', { embedding: small(0, 0, 1) })).toEqual([]);
      expect(await recall(store, 'transport of goods', { embedding: small(0.5, 0, 1), minSimilarity: 0.4 })).toEqual([
        'l1',
      ]);
      expect(await recall(store, 'transport of goods')).toEqual([]);
    });

    test('words and meaning are fused: what both find is before what one finds', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'both', { embedding: small(0.8, 0.6) });
      await admit(store, { ...library, trigger: 'freight of pallets in a library' }, 'words', {
        embedding: small(-1, 0),
      });
      await admit(store, { ...numbered(1), trigger: 'nothing in common' }, 'meaning', { embedding: small(1, 0) });
      const found = await recall(store, 'freight of pallets', { embedding: small(1, 0) });
      expect(found[0]).toBe('both');
      expect(found.slice(1).sort()).toEqual(['meaning', 'words']);
    });

    test('embeddings of another model or length are not compared, told as missing, and replaced', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1', { embedding: small(1, 0) });
      await admit(store, library, 'l2', { now: start + 1 });
      const large = { model: 'maker:large', vector: [1, 0] };
      expect(await recall(store, 'transport', { embedding: large })).toEqual([]);
      expect(await recall(store, 'transport', { embedding: small(1, 0, 0) })).toEqual([]);
      const missing = async (model: string, dimension: number, limit = 9) =>
        (await store.unembedded({ scope: 'shop', model, dimension, limit })).map(({ id }) => id);
      expect(await missing('maker:large', 2)).toEqual(['l2', 'l1']);
      expect(await missing('maker:large', 2, 1)).toEqual(['l2']);
      expect(await missing('maker:small', 2)).toEqual(['l2']);
      expect(await missing('maker:small', 3)).toEqual(['l2', 'l1']);
      await store.embed('l1', large);
      expect(await missing('maker:large', 2)).toEqual(['l2']);
      expect(await recall(store, 'transport', { embedding: large, now: start + 1 })).toEqual(['l1']);
      expect(await recall(store, 'pallets')).toEqual(['l1']);
    });

    test('a lesson whose trigger changed, that was merged under more words, or that is not in use has no embedding', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1', { embedding: small(1, 0) });
      await admit(store, library, 'l2', { embedding: small(0, 1) });
      await store.edit('l1', { trigger: 'tariff of crates' }, start);
      await store.expire('l2', start);
      await store.embed('l2', small(0, 1));
      await store.edit('l2', { status: 'active' }, start + 1);
      expect(await recall(store, 'transport', { embedding: small(1, 1) })).toEqual([]);
      const missing = await store.unembedded({ scope: 'shop', model: 'maker:small', dimension: 2, limit: 9 });
      expect(missing.map(({ id }) => id).sort()).toEqual(['l1', 'l2']);
    });

    test('a vector without a direction is none', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1', { embedding: small(0, 0) });
      await store.embed('l1', small(Number.NaN, 1));
      expect(await recall(store, 'transport', { embedding: small(0, 0), minSimilarity: 0 })).toEqual([]);
      expect(await store.unembedded({ scope: 'shop', model: 'maker:small', dimension: 2, limit: 9 })).toHaveLength(1);
    });
  });
}
