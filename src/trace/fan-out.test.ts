import { describe, expect, test } from 'vitest';
import type { RunEvent, Sink } from '../core/event.ts';
import { fanOut } from './fan-out.ts';

const event = (n: number): RunEvent => ({
  type: 'turn.start',
  turn: n,
  id: `:turn.start#${n}`,
  run: 'r',
  path: '',
  at: n,
  live: true,
});
const turns = (events: readonly RunEvent[]) =>
  events.map((seen) => (seen.type === 'turn.start' ? seen.turn : seen.type));
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

function collector(name = 'good'): Sink & { seen: RunEvent[]; closed: number } {
  const sink = {
    name,
    seen: [] as RunEvent[],
    closed: 0,
    write: (seen: RunEvent) => void sink.seen.push(seen),
    close: () => void sink.closed++,
  };
  return sink;
}
function reports(): { all: [string, string][]; add: (sink: string, why: string) => void } {
  const all: [string, string][] = [];
  return { all, add: (sink, why) => void all.push([sink, why]) };
}

describe('fanOut', () => {
  test('each sink gets every event in order, one at a time, and is closed once after the last', async () => {
    const quick = collector();
    const seen: number[] = [];
    let open = 0;
    const slow: Sink = {
      name: 'slow',
      async write(written) {
        expect(++open).toBe(1);
        await later();
        seen.push(...(turns([written]) as number[]));
        open--;
      },
      close: () => void seen.push(-1),
    };
    const failed = reports();
    const out = fanOut([slow, quick], failed.add);
    for (let n = 0; n < 20; n++) out.write(event(n));
    expect(turns(quick.seen)).toEqual([...Array(20).keys()]);
    await Promise.all([out.close(), out.close()]);
    expect(seen).toEqual([...Array(20).keys(), -1]);
    expect(quick.closed).toBe(1);
    expect(failed.all).toEqual([]);
    out.write(event(99));
    expect(quick.seen).toHaveLength(20);
  });

  test.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('a sink that %s is reported once and not called again; the others go on', async (_, write) => {
    let calls = 0;
    const bad: Sink = {
      name: 'bad',
      write: () => {
        calls++;
        return write();
      },
      close: () => void calls++,
    };
    const good = collector();
    const failed = reports();
    const out = fanOut([bad, good], failed.add);
    for (let n = 0; n < 5; n++) {
      out.write(event(n));
      await later();
    }
    await out.close();
    expect(calls).toBe(1);
    expect(failed.all).toEqual([['bad', 'disk full']]);
    expect(turns(good.seen)).toEqual([0, 1, 2, 3, 4]);
    expect(good.closed).toBe(1);
  });

  test('a report that is written back in comes after the event that caused it, in every sink', () => {
    const bad: Sink = {
      name: 'bad',
      write() {
        throw new Error('no');
      },
    };
    const [before, after] = [collector('before'), collector('after')];
    const out = fanOut([before, bad, after], (sink, why) =>
      out.write({ ...event(1), type: 'sink.failed', sink, why } as RunEvent),
    );
    out.write(event(0));
    out.write(event(2));
    expect(turns(before.seen)).toEqual([0, 'sink.failed', 2]);
    expect(turns(after.seen)).toEqual([0, 'sink.failed', 2]);
  });

  test('a sink that hangs neither blocks the others nor the close, and what was lost is said', async () => {
    const hanging: Sink = { name: 'hanging', write: () => new Promise(() => {}) };
    const good = collector();
    const failed = reports();
    const out = fanOut([hanging, good], failed.add, { closeMs: 20 });
    for (let n = 0; n < 3; n++) out.write(event(n));
    expect(good.seen).toHaveLength(3);
    await out.close();
    expect(good.closed).toBe(1);
    expect(failed.all).toEqual([['hanging', expect.stringMatching(/within 20 ms.*2 events/)]]);
  });

  test('a write that fails long after the close is not reported a second time', async () => {
    let reject: (error: Error) => void = () => {};
    const hanging: Sink = { name: 'hanging', write: () => new Promise((_, fail) => (reject = fail)) };
    const failed = reports();
    const out = fanOut([hanging], failed.add, { closeMs: 5 });
    out.write(event(0));
    await out.close();
    reject(new Error('too late'));
    await later();
    expect(failed.all).toHaveLength(1);
  });

  test('a sink whose close hangs or fails is reported and does not hold up the end', async () => {
    const failed = reports();
    const sinks: Sink[] = [
      { name: 'hangs', write() {}, close: () => new Promise(() => {}) },
      { name: 'rejects', write() {}, close: () => Promise.reject(new Error('gone')) },
      {
        name: 'throws',
        write() {},
        close() {
          throw new Error('gone');
        },
      },
      { name: 'plain', write() {} },
    ];
    await fanOut(sinks, failed.add, { closeMs: 20 }).close();
    expect(failed.all.map(([sink]) => sink).sort()).toEqual(['hangs', 'rejects', 'throws']);
  });

  test('a full queue drops new events, reports that once, and goes on in order when there is room', async () => {
    const seen: RunEvent[] = [];
    let release: () => void = () => {};
    const slow: Sink = {
      name: 'slow',
      write(written) {
        seen.push(written);
        return seen.length === 1 ? new Promise((resolve) => (release = resolve)) : undefined;
      },
    };
    const failed = reports();
    const out = fanOut([slow], failed.add, { capacity: 3 });
    for (let n = 0; n < 10; n++) out.write(event(n));
    expect(failed.all).toEqual([['slow', expect.stringContaining('3 events wait')]]);
    release();
    await later();
    for (let n = 10; n < 13; n++) out.write(event(n));
    await out.close();
    expect(turns(seen)).toEqual([0, 1, 2, 3, 10, 11, 12]);
    expect(failed.all).toHaveLength(1);
  });

  test('a sink that never keeps up holds a bounded number of events', async () => {
    const failed = reports();
    const out = fanOut([{ name: 'hanging', write: () => new Promise(() => {}) }], failed.add, { closeMs: 1 });
    for (let n = 0; n < 30_000; n++) out.write(event(n));
    await out.close();
    expect(failed.all.at(-1)?.[1]).toContain('10000 events were not written');
  });

  test('a report that fails itself stops nothing', async () => {
    const good = collector();
    const bad: Sink = { name: 'bad', write: () => Promise.reject(new Error('no')) };
    const warnings: string[] = [];
    const listen = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', listen);
    const out = fanOut([bad, good], () => {
      throw new Error('nobody listens');
    });
    out.write(event(0));
    await later();
    out.write(event(1));
    await out.close();
    await later();
    process.off('warning', listen);
    expect(turns(good.seen)).toEqual([0, 1]);
    expect(warnings.join()).toMatch(/bad: no.*nobody listens/);
  });
});
