/**
 * What every lesson store keeps to. `make` returns a fresh, empty store each time; `another` a second handle on the same
 * lessons, where the store has such a thing.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Lesson } from '../core/lesson.ts';
import type { LessonStoreOptions } from '../memory/lesson-record.ts';
import {
  admit,
  day,
  freight,
  invoices,
  type LessonStoreFixture,
  library,
  type MakeLessonStore,
  numbered,
  recall,
  report,
  start,
} from './lesson-contract-fixture.ts';
import { lessonGovernanceContract } from './lesson-governance-contract.ts';
import { lessonModelContract } from './lesson-model-contract.ts';
import { lessonRecallContract } from './lesson-recall-contract.ts';

export type { LessonStoreFixture } from './lesson-contract-fixture.ts';

/** Registers the suite under the name. */
export function lessonStoreContract(
  name: string,
  make: (options: LessonStoreOptions) => Promise<LessonStoreFixture> | LessonStoreFixture,
): void {
  const open: LessonStoreFixture[] = [];
  const fresh: MakeLessonStore = async (options = {}) => {
    const fixture = await make(options);
    open.push(fixture);
    return fixture;
  };

  describe(`lesson store contract: ${name}`, () => {
    afterEach(async () => {
      for (const fixture of open.splice(0)) {
        await fixture.store.close();
        await fixture.dispose?.();
      }
    });

    test('an admitted lesson is recalled by the words of its trigger, in any form, and by nothing else', async () => {
      const { store } = await fresh();
      expect(await admit(store, freight, 'l1')).toEqual({ id: 'l1', admitted: true, why: 'new' });
      await admit(store, library, 'l2');
      expect(await recall(store, 'What do the WAREHOUSE pallets cost?')).toEqual(['l1']);
      expect(await recall(store, 'library openings')).toEqual(['l2']);
      expect(await recall(store, 'kilograms')).toEqual([]);
      expect(await recall(store, 'what is the of and')).toEqual([]);
      expect(await recall(store, '')).toEqual([]);
      expect(await store.get('l1')).toEqual({
        ...freight,
        id: 'l1',
        source: 'run of l1',
        scope: 'shop',
        applies: {},
        created: start,
        expires: start + 90 * day,
        checked: start,
        uses: 0,
        wins: 0,
        losses: 0,
        evidence: [{ run: 'run of l1', says: 'supports' }],
        conflicts: [],
        status: 'active',
        why: 'new',
      });
    });

    test('a Chinese lesson is recalled by a Chinese task', async () => {
      const { store } = await fresh();
      expect(await admit(store, invoices, 'zh')).toMatchObject({ admitted: true });
      await admit(store, freight, 'en');
      expect(await recall(store, '请计算这三张发票一共有多少税额。')).toEqual(['zh']);
      expect(await recall(store, '今天天气怎么样')).toEqual([]);
    });

    test('a recall keeps to its scope and its limit and puts the best match first', async () => {
      const { store } = await fresh();
      await admit(store, { ...library, trigger: 'warehouse opening hours' }, 'one word');
      await admit(store, freight, 'three words');
      await admit(store, invoices, 'elsewhere', { scope: 'tax' });
      expect(await recall(store, 'freight pallets warehouse')).toEqual(['three words', 'one word']);
      expect(await recall(store, 'freight pallets warehouse', { limit: 1 })).toEqual(['three words']);
      expect(await recall(store, 'freight pallets warehouse', { limit: 0 })).toEqual([]);
      expect(await recall(store, 'freight pallets warehouse', { scope: 'tax' })).toEqual([]);
    });

    test('of equal matches the one with the better record comes first, and a recall itself counts nothing', async () => {
      const { store } = await fresh();
      for (const [index, id] of ['a', 'b', 'c'].entries()) await admit(store, numbered(index), id);
      await report(store, 'b', 'win', { key: 'k1' });
      await report(store, 'c', 'loss', { key: 'k2' });
      expect(await recall(store, 'shared topic')).toEqual(['b', 'a', 'c']);
      expect(await recall(store, 'shared topic')).toEqual(['b', 'a', 'c']);
      expect(await store.get('a')).toMatchObject({ uses: 0, wins: 0, losses: 0 });
    });

    test('the same admission twice is one lesson, and does not bring a forgotten one back', async () => {
      const { store } = await fresh();
      const first = await admit(store, freight, 'l1');
      expect(await admit(store, freight, 'l1')).toEqual(first);
      expect(await store.list()).toHaveLength(1);
      await store.forget('l1');
      expect(await admit(store, freight, 'l1')).toEqual(first);
      expect(await recall(store, 'pallets')).toEqual([]);
    });

    test('the same report twice counts once, an id named twice counts once, an unknown id is passed over', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1');
      const outcomes = [
        { id: 'l1', outcome: 'win' as const },
        { id: 'l1', outcome: 'loss' as const },
        { id: 'nobody', outcome: 'win' as const },
      ];
      await store.report(outcomes, { run: 'r', now: start + day, key: 'a' });
      await report(store, 'l1', 'loss', { key: 'a' });
      expect(await store.get('l1')).toMatchObject({ uses: 1, wins: 1, losses: 0, checked: start + day });
      await report(store, 'l1', 'loss', { key: 'b' });
      expect(await store.get('l1')).toMatchObject({ uses: 2, wins: 1, losses: 1, checked: start + day });
    });

    test('a lesson ends with its time: it is not recalled, and its place is free again', async () => {
      const { store } = await fresh({ ttlMs: 2 * day });
      await admit(store, freight, 'l1');
      expect(await recall(store, 'pallets', { now: start + 2 * day - 1 })).toEqual(['l1']);
      expect(await recall(store, 'pallets', { now: start + 2 * day })).toEqual([]);
      expect(await admit(store, freight, 'l2', { now: start + 3 * day })).toMatchObject({ admitted: true });
      expect((await store.list({ status: 'expired' })).map((lesson) => lesson.id)).toEqual(['l1']);
    });

    test('expire keeps the record, forget keeps none of the text', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1');
      await admit(store, library, 'l2');
      expect(await store.expire('l1', start + day)).toBe(true);
      expect(await store.expire('l1', start + day)).toBe(false);
      expect(await store.get('l1')).toMatchObject({ ...freight, status: 'expired', expires: start + day });
      expect(await store.forget('l2')).toBe(true);
      expect(await store.forget('l2')).toBe(false);
      expect(await store.get('l2')).toMatchObject({ trigger: '', lesson: '', status: 'forgotten' });
      expect(await store.forget('nobody')).toBe(false);
      expect(await store.expire('nobody', start)).toBe(false);
      expect(await recall(store, 'pallets library')).toEqual([]);
    });

    test('a full scope gives up the losing lesson first, then the oldest unused one, never the new one', async () => {
      const { store } = await fresh({ maxLessons: 3 });
      for (const index of [0, 1, 2]) await admit(store, numbered(index), `l${index}`, { now: start + index });
      await report(store, 'l0', 'win', { key: 'k0' });
      await report(store, 'l2', 'loss', { key: 'k2' });
      await admit(store, numbered(3), 'l3', { now: start + 3 });
      expect(await store.get('l2')).toMatchObject({ status: 'expired' });
      await admit(store, numbered(4), 'l4', { now: start + 4 });
      expect(await store.get('l1')).toMatchObject({ status: 'expired' });
      const active = await store.list({ scope: 'shop', status: 'active' });
      expect(active.map((lesson) => lesson.id).sort()).toEqual(['l0', 'l3', 'l4']);
    });

    test('a new lesson stays even where every other one has proved itself', async () => {
      const { store } = await fresh({ maxLessons: 1 });
      await admit(store, numbered(0), 'l0');
      await report(store, 'l0', 'win', { key: 'k' });
      await admit(store, numbered(1), 'l1', { now: start + 1 });
      expect(await recall(store, 'shared topic', { now: start + 1 })).toEqual(['l1']);
    });

    test('what was listed can be restored elsewhere, once, and is recalled there', async () => {
      const { store: from } = await fresh();
      await admit(from, freight, 'l1');
      await admit(from, library, 'l2');
      await report(from, 'l1', 'win', { key: 'k' });
      await from.expire('l2', start);
      const exported: Lesson[] = JSON.parse(JSON.stringify(await from.list()));
      const { store: to } = await fresh();
      expect(await to.restore([...exported, ...exported])).toBe(2);
      expect(await to.restore(exported)).toBe(0);
      expect(await to.list()).toEqual(exported);
      expect(await recall(to, 'pallets library')).toEqual(['l1']);
    });

    test('a returned lesson is a copy: changing it changes nothing in the store', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1');
      for (const lesson of [await store.get('l1'), ...(await store.list())]) lesson!.lesson = 'changed';
      expect(await store.get('l1')).toMatchObject({ lesson: freight.lesson });
    });

    test('no text is query syntax: every recall answers, and a hostile one finds what its words find', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1');
      const syntax = [
        '"',
        "'",
        '*',
        'NEAR(',
        ')',
        ' AND ',
        ' OR ',
        ' NOT ',
        '^',
        ':',
        '-',
        '+',
        '{',
        '}',
        ';--',
        '\u0000',
      ];
      const hostile = fc.array(fc.oneof(fc.constantFrom(...syntax), fc.string({ unit: 'binary' })), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(hostile, async (parts) => {
          const text = parts.join('');
          expect(Array.isArray(await recall(store, text))).toBe(true);
          expect(await recall(store, `${text} pallets ${text}`)).toEqual(['l1']);
          expect(await recall(store, 'pallets', { scope: text })).toEqual([]);
        }),
        { numRuns: 150 },
      );
      const long = `${Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')} pallets`;
      expect(await recall(store, long)).toEqual(['l1']);
    });

    test('two handles on the same lessons take each decision once', async (context) => {
      const fixture = await fresh({ maxLessons: 10 });
      if (!fixture.another) return context.skip('this store has one handle only');
      const second = fixture.another();
      try {
        const both = [fixture.store, second];
        const admissions = await Promise.all(
          both.flatMap((store, handle) =>
            [0, 1, 2, 3].map((index) => admit(store, numbered(index), `h${handle}-${index}`)),
          ),
        );
        expect(new Set(admissions.map((admission) => admission.id)).size).toBe(4);
        const lessons = await fixture.store.list();
        expect(lessons.map((lesson) => lesson.evidence.length)).toEqual([2, 2, 2, 2]);
        const [kept] = lessons;
        await Promise.all(both.flatMap((store) => ['a', 'b'].map((key) => report(store, kept!.id, 'win', { key }))));
        expect(await second.get(kept!.id)).toMatchObject({ uses: 2, wins: 2 });
        expect(await recall(second, 'shared topic')).toHaveLength(4);
      } finally {
        await second.close();
      }
    });

    lessonGovernanceContract(fresh);
    lessonRecallContract(fresh);
    lessonModelContract(fresh);
  });
}
