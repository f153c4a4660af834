import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askPlace, keepPlaces, leavePlace, noPlaces, type Places } from './places.ts';

const leaseMs = 2_000;

/** Callers by a hand-driven clock: each asks when it was told to, works for a while, and some die at some time. */
interface Caller {
  comesAt: number;
  worksMs: number;
  diesAt: number;
  renewedAt?: number;
  enteredAt?: number;
  leftAt?: number;
}

const isAlive = ({ diesAt }: Caller, now: number): boolean => now < diesAt;

function rehearse(callers: readonly Caller[], concurrency: number, endsAt: number): void {
  let places: Places = noPlaces;
  const asksAt = new Map(callers.map((caller) => [caller, caller.comesAt]));
  const ask = (caller: Caller, ticket: string, now: number): void => {
    const asked = askPlace(places, { ticket, concurrency, leaseMs }, now);
    places = asked.places;
    if (asked.waitMs === 0) caller.enteredAt = caller.renewedAt = now;
    else asksAt.set(caller, now + asked.waitMs);
  };
  const work = (caller: Caller, ticket: string, now: number): void => {
    if (now >= (caller.enteredAt ?? 0) + caller.worksMs) {
      caller.leftAt = now;
      places = leavePlace(places, ticket);
    } else if (now >= (caller.renewedAt ?? 0) + leaseMs / 3) {
      caller.renewedAt = now;
      places = keepPlaces(places, [ticket], now + leaseMs);
    }
  };
  for (let now = 0; now < endsAt; now += 25) {
    for (const [index, caller] of callers.entries()) {
      if (!isAlive(caller, now) || caller.leftAt !== undefined) continue;
      if (caller.enteredAt !== undefined) work(caller, `t${index}`, now);
      else if (now >= (asksAt.get(caller) ?? 0)) ask(caller, `t${index}`, now);
    }
    const inside = callers.filter(
      (one) => one.enteredAt !== undefined && one.leftAt === undefined && isAlive(one, now),
    );
    expect(inside.length).toBeLessThanOrEqual(concurrency);
  }
}

const callersOf = (diesAt: fc.Arbitrary<number>): fc.Arbitrary<Caller[]> =>
  fc.array(fc.record({ comesAt: fc.nat(3_000), worksMs: fc.integer({ min: 25, max: 5_000 }), diesAt }), {
    maxLength: 15,
  });

describe('places', () => {
  test('are never more than there are, and everybody who lives gets one, whoever dies', () => {
    const diesAt = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(10_000));
    fc.assert(
      fc.property(callersOf(diesAt), fc.integer({ min: 1, max: 4 }), (callers, concurrency) => {
        rehearse(callers, concurrency, 150_000);
        for (const { diesAt: end, leftAt } of callers)
          if (end === Number.POSITIVE_INFINITY) expect(leftAt).toBeDefined();
      }),
      { numRuns: 20 },
    );
  });

  test('are given in the order in which they were asked for', () => {
    fc.assert(
      fc.property(callersOf(fc.constant(Number.POSITIVE_INFINITY)), (callers) => {
        rehearse(callers, 1, 100_000);
        const order = callers.map(({ comesAt }, index) => ({ came: Math.ceil(comesAt / 25), index }));
        const expected = order.toSorted((a, b) => a.came - b.came || a.index - b.index).map(({ index }) => index);
        const entered = expected.map((index) => callers[index]?.enteredAt ?? Number.NaN);
        expect(entered).toEqual(entered.toSorted((a, b) => a - b));
      }),
      { numRuns: 20 },
    );
  });

  test('of one that is not heard of go to the next when the lease ends, and not before', () => {
    const ask = (places: Places, ticket: string, now: number) =>
      askPlace(places, { ticket, concurrency: 1, leaseMs }, now);
    const first = ask(noPlaces, 'dead', 0).places;
    const early = ask(first, 'next', leaseMs - 1);
    expect(early.waitMs).toBeGreaterThan(0);
    expect(ask(early.places, 'next', leaseMs).waitMs).toBe(0);
    const kept = keepPlaces(first, ['dead', 'unknown'], leaseMs * 2);
    expect(ask(kept, 'next', leaseMs).waitMs).toBeGreaterThan(0);
    expect(Object.keys(kept.leases)).toEqual(['dead']);
  });
});
