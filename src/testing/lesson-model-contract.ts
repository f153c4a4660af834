/** The part of the lesson contract that holds for any history: what must always be true, and that all stores agree. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inMemoryLessons } from '../memory/in-memory-lessons.ts';
import type { LessonStore } from '../memory/memory.ts';
import { admit, day, type MakeLessonStore, numbered, recall, report, start } from './lesson-contract-fixture.ts';

const number = fc.nat(5);
const scope = fc.constantFrom('shop', 'tax');
/** Some contradict the plain one of their number, some repeat it. */
const form = fc.constantFrom('plain', 'opposite', 'again');
const outcome = fc.constantFrom('win', 'loss', 'loss', 'refuted');

const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('admit'), number, scope, form }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('report'), number, form, outcome, key: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('expire'), number, form }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('forget'), number, form }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('edit'), number, form }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait'), days: fc.integer({ min: 1, max: 60 }) }) },
);
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

function draftOf(which: number, kind: string) {
  const plain = numbered(which);
  if (kind === 'opposite') return { ...plain, lesson: plain.lesson.replace('before', 'after') };
  return kind === 'again' ? { ...plain, trigger: `another ${plain.trigger}` } : plain;
}

async function act(store: LessonStore, one: Command, now: number): Promise<unknown> {
  if (!('number' in one)) return undefined;
  const id = `${one.form} ${one.number}`;
  switch (one.type) {
    case 'admit':
      return admit(store, draftOf(one.number, one.form), id, { scope: 'scope' in one ? one.scope : 'shop', now });
    case 'report':
      return 'key' in one ? report(store, id, one.outcome, { key: String(one.key), now }) : undefined;
    case 'edit':
      return store.edit(id, { avoid: 'Guessing the order of columns' }, now);
    case 'expire':
      return store.expire(id, now);
    default:
      return store.forget(id);
  }
}

export function lessonModelContract(fresh: MakeLessonStore): void {
  test('after any history the store says what the store in memory says, and what it recalls may be recalled', async () => {
    const history = fc.array(command, { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(history, async (commands) => {
        const { store } = await fresh({ ttlMs: 90 * day, maxLessons: 4 });
        const model = inMemoryLessons({ ttlMs: 90 * day, maxLessons: 4 });
        let now = start;
        for (const one of commands) {
          now += 'days' in one ? one.days * day : 1;
          expect(await act(store, one, now)).toEqual(await act(model, one, now));
        }
        const all = await store.list();
        expect(all).toEqual(await model.list());
        for (const lesson of all) expect(lesson.uses).toBe(lesson.wins + lesson.losses);
        const found = await recall(store, 'shared topic kao bao', { now, limit: 3 });
        expect(found).toEqual(await recall(model, 'shared topic kao bao', { now, limit: 3 }));
        expect(found.length).toBeLessThanOrEqual(3);
        const lessons = found.flatMap((id) => all.filter((lesson) => lesson.id === id));
        for (const { id, status, expires, scope: where, conflicts } of lessons) {
          expect({ id, status, where }).toEqual({ id, status: 'active', where: 'shop' });
          expect(expires).toBeGreaterThan(now);
          expect(found.filter((other) => conflicts.includes(other))).toEqual([]);
        }
        const usable = all.some(
          ({ status, expires, scope: where }) => status === 'active' && expires > now && where === 'shop',
        );
        expect(found.length > 0).toBe(usable);
      }),
      { numRuns: 25 },
    );
  });
}
