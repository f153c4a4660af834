/**
 * What every store of events keeps to (`src/trace/events.ts`). `make` returns a fresh, empty store each time; `another` opens a second
 * handle on the same events, as another process would.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import type { EventStore } from '../trace/events.ts';

export interface EventStoreFixture {
  store: EventStore;
  another(): EventStore;
  dispose?(): Promise<void> | void;
}

/** An event of the run `r1`, changed as a test needs it. `at` runs against the order. */
export function numberedEvent(n: number, changes: Partial<RunEvent> = {}): RunEvent {
  const event = { type: 'turn.start', turn: n, id: `turn.start#${n}`, run: 'r1', path: '', at: 1_000 - n, live: true };
  // The changes of a test fit the type it names.
  return { ...event, ...changes } as RunEvent;
}

/** Writes the events as the fan-out of an agent does: it waits where it is asked to. */
export async function writeAll(store: EventStore, events: readonly RunEvent[]): Promise<void> {
  const sink = store.sink();
  for (const event of events) await sink.write(event);
  await sink.close?.();
}

/** The next `count` events; fails when they do not come in time. */
export async function take(events: AsyncIterable<RunEvent>, count: number): Promise<RunEvent[]> {
  const taken: RunEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

/** Registers the suite under the name. */
export function eventStoreContract(name: string, make: () => Promise<EventStoreFixture> | EventStoreFixture): void {
  const open: EventStoreFixture[] = [];
  const opened: EventStore[] = [];
  const fresh = async (): Promise<{ store: EventStore; another(): EventStore }> => {
    const fixture = await make();
    open.push(fixture);
    const another = (): EventStore => {
      const store = fixture.another();
      opened.push(store);
      return store;
    };
    return { store: fixture.store, another };
  };
  const numbered = (count: number, changes: Partial<RunEvent> = {}): RunEvent[] =>
    Array.from({ length: count }, (_, n) => numberedEvent(n, changes));

  describe(`event store contract: ${name}`, () => {
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
      for (const fixture of open.splice(0)) {
        await fixture.store.close();
        await fixture.dispose?.();
      }
    });

    test('events are read per run, in the order they were stored, by every handle', async () => {
      const { store, another } = await fresh();
      await writeAll(store, [...numbered(3), numberedEvent(0, { run: 'r2' })]);
      expect(await another().read('r1')).toEqual(numbered(3));
      expect(await store.read('r2')).toEqual([numberedEvent(0, { run: 'r2' })]);
      expect(await store.read('r3')).toEqual([]);
    });

    test('a reader sees what its process wrote in the same turn', async () => {
      const { store } = await fresh();
      void store.sink().write(numberedEvent(0));
      expect(await store.read('r1')).toEqual([numberedEvent(0)]);
    });

    test('the first copy of an event wins: in one batch, later, and from another handle', async () => {
      const { store, another } = await fresh();
      const copies = numbered(2).map((event) => ({ ...event, live: false, at: 7_000 }));
      await writeAll(store, [...numbered(1), ...copies.slice(0, 1)]);
      await writeAll(store, copies.slice(0, 1));
      await writeAll(another(), [...copies.slice(0, 1), numberedEvent(1), ...copies]);
      expect(await store.read('r1')).toEqual(numbered(2));
    });

    test('what comes out of a running step is not stored', async () => {
      const { store } = await fresh();
      const passing = ['model.delta', 'model.start', 'model.retry'] as const;
      await writeAll(
        store,
        passing.map((type) => numberedEvent(0, { type, id: type } as Partial<RunEvent>)),
      );
      expect(await store.read('r1')).toEqual([]);
    });

    test('a range begins behind the event it names, or at the first when that is not stored', async () => {
      const { store } = await fresh();
      await writeAll(store, [...numbered(3), ...numbered(5, { run: 'r2' }), numberedEvent(3)]);
      const ids = async (after: string, limit?: number) =>
        (await store.read('r1', { after, limit })).map((event) => event.id.at(-1));
      expect(await ids('turn.start#0')).toEqual(['1', '2', '3']);
      expect(await ids('turn.start#2')).toEqual(['3']);
      expect(await ids('turn.start#3')).toEqual([]);
      expect(await ids('turn.start#0', 2)).toEqual(['1', '2']);
      expect(await ids('turn.start#4')).toEqual(['0', '1', '2', '3']);
      expect(await store.read('r1', { limit: 1 })).toEqual(numbered(1));
    });

    test('texts of every kind come back as they were, in events and in their keys', async () => {
      const { store } = await fresh();
      const hostile = '\u0000 \ud800 \udc00x \\u0000 \' " ; DROP TABLE events; -- {1,"2"} \u{1f600} \uffff \r\n';
      // Of code units, so that halves of surrogate pairs are among them.
      const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
      const texts = fc.oneof(fc.string({ unit }), fc.constant(hostile), fc.constant('x'.repeat(5_000)));
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(texts, texts, async (text, id) => {
          const run = `${text}${++runs}`;
          const event = numberedEvent(0, { type: 'run.warning', why: text, run, id } as Partial<RunEvent>);
          await writeAll(store, [event, numberedEvent(1, { run })]);
          expect(await store.read(run)).toEqual([event, numberedEvent(1, { run })]);
          expect(await store.read(run, { after: id })).toEqual([numberedEvent(1, { run })]);
        }),
        { numRuns: 25 },
      );
      const near = ['a\u0000', 'a\ufffd', 'a\\u0000', `${'x'.repeat(600)}1`, `${'x'.repeat(600)}2`];
      await writeAll(
        store,
        near.map((run) => numberedEvent(0, { run })),
      );
      for (const run of near) expect(await store.read(run)).toEqual([numberedEvent(0, { run })]);
    });

    test('events of a megabyte are kept', async () => {
      const { store, another } = await fresh();
      const large = (n: number) =>
        numberedEvent(n, { type: 'run.warning', why: `"\\é`.repeat(300_000) + n } as Partial<RunEvent>);
      await writeAll(store, [large(0), large(1), large(2)]);
      expect(await another().read('r1')).toEqual([large(0), large(1), large(2)]);
    });

    test('a follower gets what is stored and then what is stored elsewhere, each event once and in order', async () => {
      const { store, another } = await fresh();
      await writeAll(store, numbered(2));
      const following = take(another().subscribe('r1'), 1_000);
      for (let n = 2; n < 1_000; n += 100) {
        await writeAll(store, [
          numberedEvent(n - 1, { live: false }),
          ...numbered(Math.min(n + 100, 1_000)).slice(n),
          numberedEvent(n, { run: 'r2' }),
        ]);
      }
      expect(await following).toEqual(numbered(1_000));
    });

    test('a follower takes up behind the event it names', async () => {
      const { store, another } = await fresh();
      await writeAll(store, numbered(3));
      const following = take(another().subscribe('r1', { after: 'turn.start#1' }), 2);
      await writeAll(store, numbered(4));
      expect((await following).map(({ id }) => id)).toEqual(['turn.start#2', 'turn.start#3']);
    });

    test('a follower ends with its signal, and with its store', async () => {
      const { store, another } = await fresh();
      const controller = new AbortController();
      const second = another();
      const aborted = take(store.subscribe('none', { signal: controller.signal }), 1);
      const closed = take(second.subscribe('none'), 1);
      const never = take(store.subscribe('none', { signal: AbortSignal.abort() }), 1);
      await writeAll(store, numbered(1));
      controller.abort();
      await second.close();
      expect(await Promise.all([aborted, closed, never])).toEqual([[], [], []]);
    });

    test('old runs are removed whole, those with a newer event not at all', async () => {
      const { store, another } = await fresh();
      await writeAll(store, [
        ...numbered(3, { at: 10 }),
        numberedEvent(0, { run: 'r2', at: 10 }),
        numberedEvent(1, { run: 'r2', at: 20 }),
      ]);
      expect(await store.deleteBefore(10)).toBe(0);
      expect(await another().deleteBefore(11)).toBe(3);
      expect(await store.read('r1')).toEqual([]);
      expect(await store.read('r2')).toHaveLength(2);
      await writeAll(store, numbered(1));
      expect(await store.read('r1')).toEqual(numbered(1));
    });

    test('closing writes what waits, and a closed store says so', async () => {
      const { store, another } = await fresh();
      void store.sink().write(numberedEvent(0));
      await store.close();
      await store.close();
      await expect(async () => store.read('r1')).rejects.toThrow(/closed/);
      expect(await another().read('r1')).toEqual(numbered(1));
    });
  });
}
