/**
 * What every lesson store keeps to. `make` returns a fresh, empty store each time; `another` a second handle on the same
 * lessons, where the store has such a thing.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';
import type { LessonStoreOptions } from '../memory/lesson-record.ts';
import type { LessonStore } from '../memory/memory.ts';

export interface LessonStoreFixture {
  store: LessonStore;
  another?(): LessonStore;
  dispose?(): Promise<void> | void;
}

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2031, 4, 5);

const freight: LessonDraft = {
  trigger: 'freight cost of pallets across two warehouses',
  failurePattern: 'pallet weights in pounds added to weights in kilograms',
  lesson: 'Convert every pallet weight to kilograms, then add them up',
  avoid: 'Adding weights with different units',
};
const library: LessonDraft = {
  trigger: 'opening hours of a public library branch',
  failurePattern: 'holiday timetable quoted for an ordinary weekday',
  lesson: 'Read the timetable section named after the weekday in question',
  avoid: 'Quoting the first timetable of the page',
};
const invoices: LessonDraft = {
  trigger: '汇总多张发票的税额',
  failurePattern: '含税金额与不含税金额相加',
  lesson: '先按税率拆分每张发票的金额，然后分别汇总税额',
  avoid: '直接相加票面金额',
};

/** A draft that no rule takes for another: the words of both parts differ with the number. */
function numbered(number: number): LessonDraft {
  const word = [...String(number)].map((digit) => 'kbvfzrplwj'[Number(digit)]).join('a');
  return {
    trigger: `shared topic ${word}o`,
    failurePattern: `column ${word}u mistaken for column ${word}i`,
    lesson: `Read the ${word}e header, compare ${word}y with ${word}ax`,
    avoid: `Guessing ${word}em`,
  };
}

/** Registers the suite under the name. */
export function lessonStoreContract(
  name: string,
  make: (options: LessonStoreOptions) => Promise<LessonStoreFixture> | LessonStoreFixture,
): void {
  const open: LessonStoreFixture[] = [];
  const fresh = async (options: LessonStoreOptions = {}) => {
    const fixture = await make(options);
    open.push(fixture);
    return fixture;
  };
  const admit = (store: LessonStore, draft: LessonDraft, id: string, meta: { scope?: string; now?: number } = {}) =>
    store.admit(draft, { id, source: `run of ${id}`, scope: meta.scope ?? 'shop', now: meta.now ?? start });
  const recall = async (
    store: LessonStore,
    text: string,
    query: { scope?: string; limit?: number; now?: number } = {},
  ) =>
    (await store.recall({ text, scope: query.scope ?? 'shop', limit: query.limit ?? 5, now: query.now ?? start })).map(
      (lesson) => lesson.id,
    );

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
        created: start,
        expires: start + 90 * day,
        uses: 0,
        wins: 0,
        losses: 0,
        status: 'active',
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
      await store.report(['b'], 'win', 'k1');
      await store.report(['c'], 'loss', 'k2');
      expect(await recall(store, 'shared topic')).toEqual(['b', 'a', 'c']);
      expect(await recall(store, 'shared topic')).toEqual(['b', 'a', 'c']);
      expect(await store.get('a')).toMatchObject({ uses: 0, wins: 0, losses: 0 });
    });

    test('a lesson that keeps losing is no longer recalled, stays listed, and comes back with new wins', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1');
      for (const key of ['1', '2']) await store.report(['l1'], 'loss', key);
      expect(await recall(store, 'pallets')).toEqual(['l1']);
      await store.report(['l1'], 'loss', '3');
      expect(await recall(store, 'pallets')).toEqual([]);
      expect(await store.list({ status: 'active' })).toHaveLength(1);
      for (const key of ['4', '5']) await store.report(['l1'], 'win', key);
      expect(await recall(store, 'pallets')).toEqual(['l1']);
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
      await store.report(['l1', 'l1', 'nobody'], 'win', 'run-a');
      await store.report(['l1'], 'loss', 'run-a');
      expect(await store.get('l1')).toMatchObject({ uses: 1, wins: 1, losses: 0 });
      await store.report(['l1'], 'loss', 'run-b');
      expect(await store.get('l1')).toMatchObject({ uses: 2, wins: 1, losses: 1 });
    });

    test('a duplicate and a contradiction are refused with the id they meet; another scope is free', async () => {
      const { store } = await fresh();
      await admit(store, freight, 'l1');
      const again = await admit(store, { ...freight, trigger: 'weights of parcels' }, 'l2');
      expect(again.admitted).toBe(false);
      expect(again.why).toContain('l1');
      const opposite = { ...library, lesson: freight.avoid, avoid: '' };
      const against = await admit(store, opposite, 'l3');
      expect(against.admitted).toBe(false);
      expect(against.why).toContain('l1');
      expect(await store.get('l2')).toBeUndefined();
      expect(await admit(store, freight, 'l4', { scope: 'tax' })).toMatchObject({ admitted: true });
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
      await store.report(['l0'], 'win', 'k0');
      await store.report(['l2'], 'loss', 'k2');
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
      await store.report(['l0'], 'win', 'k');
      await admit(store, numbered(1), 'l1', { now: start + 1 });
      expect(await recall(store, 'shared topic', { now: start + 1 })).toEqual(['l1']);
    });

    test('what was listed can be restored elsewhere, once, and is recalled there', async () => {
      const { store: from } = await fresh();
      await admit(from, freight, 'l1');
      await admit(from, library, 'l2');
      await from.report(['l1'], 'win', 'k');
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
        expect(admissions.filter((admission) => admission.admitted)).toHaveLength(4);
        const [kept] = await fixture.store.list();
        await Promise.all(both.flatMap((store) => ['a', 'b'].map((key) => store.report([kept!.id], 'win', key))));
        expect(await second.get(kept!.id)).toMatchObject({ uses: 2, wins: 2 });
        expect(await recall(second, 'shared topic')).toHaveLength(4);
      } finally {
        await second.close();
      }
    });
  });
}
