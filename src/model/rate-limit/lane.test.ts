import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProviderLimit } from '../rate-limit.ts';
import { givenBack, held, type Lane, newLane, nextTurn, untilTurn } from './lane.ts';

/** What happens to a lane; the waiter is one of those that came before. */
type Happening =
  | { type: 'comes'; tokens: number }
  | { type: 'time'; ms: number }
  | { type: 'leaves'; waiter: number; share: number }
  | { type: 'held'; ms: number };

interface Waiter {
  tokens: number;
  turn: number;
  /** When it was let through, on a clock that stands still while the lane is held; and in real time. */
  passed?: { clock: number; real: number };
  used?: { requests: number; tokens: number };
}

const limits = fc.record<ProviderLimit & Record<'requestsPerMinute' | 'tokensPerMinute' | 'burstMs', number>>({
  requestsPerMinute: fc.integer({ min: 1, max: 6_000 }),
  tokensPerMinute: fc.integer({ min: 1, max: 600_000 }),
  burstMs: fc.integer({ min: 1, max: 60_000 }),
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('comes' as const), tokens: fc.nat(3_000) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('time' as const), ms: fc.nat(5_000) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('leaves' as const),
      waiter: fc.nat(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('held' as const), ms: fc.nat(20_000) }) },
);

const capacity = (perMinute: number, { burstMs = 60_000 }: ProviderLimit): number =>
  Math.max(1, (perMinute / 60_000) * burstMs);

/** Lets things happen by a hand-driven clock; everybody goes when the lane says so, never late. */
class Rehearsal {
  readonly waiters: Waiter[] = [];
  readonly limit: ProviderLimit;
  now = 1_000_000;
  lane: Lane = newLane(this.now);
  #heldMs = 0;
  #heldUntil = 0;

  constructor(limit: ProviderLimit) {
    this.limit = limit;
  }

  play(happenings: readonly Happening[]): void {
    for (const what of happenings) this.#step(what);
    this.#advance(Math.max(0, ...this.waiters.map(({ turn }) => untilTurn(this.lane, turn, this.now))) + 1);
  }

  #step(what: Happening): void {
    if (what.type === 'time') this.#advance(what.ms);
    else if (what.type === 'comes') this.#comes(what.tokens);
    else if (what.type === 'held') this.#hold(what.ms);
    else this.#leaves(this.waiters[what.waiter % Math.max(1, this.waiters.length)], what.share);
    this.#advance(0);
  }

  #comes(tokens: number): void {
    const fits = Math.min(tokens, Math.floor(capacity(this.limit.tokensPerMinute ?? 1, this.limit)));
    const { lane, turn } = nextTurn(this.lane, this.limit, fits, this.now);
    this.lane = lane;
    this.waiters.push({ tokens: fits, turn });
  }

  #hold(ms: number): void {
    this.lane = held(this.lane, this.limit, this.now + ms, this.now);
    this.#heldMs += Math.max(0, this.now + ms - Math.max(this.now, this.#heldUntil));
    this.#heldUntil = Math.max(this.#heldUntil, this.now + ms);
  }

  /** One that waits gives its turn up; one that went reports that it used a share of what was assumed. */
  #leaves(waiter: Waiter | undefined, share: number): void {
    if (!waiter || waiter.used) return;
    const unused = waiter.passed
      ? { requests: 0, tokens: Math.floor(waiter.tokens * share) }
      : { requests: 1, tokens: waiter.tokens };
    waiter.used = { requests: 1 - unused.requests, tokens: waiter.tokens - unused.tokens };
    this.lane = givenBack(this.lane, this.limit, unused, this.now);
  }

  #advance(ms: number): void {
    const end = this.now + ms;
    const due = this.waiters.filter(({ passed, used }) => !passed && !used);
    const times = due.map((waiter) => ({ waiter, real: this.now + untilTurn(this.lane, waiter.turn, this.now) }));
    for (const { waiter, real } of times.filter((one) => one.real <= end)) {
      waiter.passed = { real, clock: Math.max(real, this.#heldUntil) - this.#heldMs };
    }
    this.now = end;
  }
}

const used = ({ tokens, used: reported }: Waiter): { requests: number; tokens: number } =>
  reported ?? { requests: 1, tokens };

describe('a lane', () => {
  test('lets no more through in any window than a full bucket and what flows in, whatever is given back or held', () => {
    fc.assert(
      fc.property(limits, fc.array(happening, { maxLength: 60 }), (limit, happenings) => {
        const rehearsal = new Rehearsal(limit);
        rehearsal.play(happenings);
        const passed = rehearsal.waiters.flatMap((waiter) => (waiter.passed ? [{ ...waiter, ...waiter.passed }] : []));
        for (const kind of ['requests', 'tokens'] as const) {
          const perMinute = limit[`${kind}PerMinute`];
          for (const [from, first] of passed.entries()) {
            let sum = 0;
            for (const last of passed.slice(from)) {
              sum += used(last)[kind];
              const most = capacity(perMinute, limit) + ((last.clock - first.clock) * perMinute) / 60_000;
              expect(sum).toBeLessThanOrEqual(most + 1e-3);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('serves everybody who does not give up, in order, and as soon as the rates allow', () => {
    fc.assert(
      fc.property(limits, fc.array(happening, { maxLength: 60 }), (limit, happenings) => {
        const rehearsal = new Rehearsal(limit);
        rehearsal.play(happenings);
        const turns = rehearsal.waiters.map(({ turn }) => turn);
        expect(turns).toEqual(turns.toSorted((a, b) => a - b));
        for (const { passed, used: reported } of rehearsal.waiters) expect(passed || reported).toBeTruthy();
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 60_000 }), (rate, burstMs) => {
        const limit = { requestsPerMinute: rate, burstMs };
        let lane = newLane(0);
        for (let count = 1; count <= 50; count++) {
          const told = nextTurn(lane, limit, 0, 0);
          lane = told.lane;
          const missing = Math.max(0, count - capacity(rate, limit));
          expect(untilTurn(lane, told.turn, 0)).toBeCloseTo((missing / rate) * 60_000, 3);
        }
      }),
    );
  });

  test('counts what was used beyond what was assumed against those that come later', () => {
    const limit = { tokensPerMinute: 6_000 };
    const first = nextTurn(newLane(0), limit, 10, 0);
    const lane = givenBack(first.lane, limit, { requests: 0, tokens: -6_000 }, 0);
    const second = nextTurn(lane, limit, 5, 0);
    // 10 + 6,000 - 6,000 tokens are missing and 5 are wanted, at 100 a second.
    expect(untilTurn(second.lane, second.turn, 0)).toBeCloseTo(150, 6);
  });

  test('gives a turn that was given up to those that come later, as far as the bucket holds it', () => {
    const limit = { requestsPerMinute: 60, burstMs: 3_000 };
    let lane = newLane(0);
    const ask = (): number => {
      const told = nextTurn(lane, limit, 0, 0);
      lane = told.lane;
      return Math.round(told.turn);
    };
    for (let count = 0; count < 30; count++) ask();
    for (let count = 0; count < 5; count++) lane = givenBack(lane, limit, { requests: 1, tokens: 0 }, 0);
    // The bucket holds three: the one that the last turn took, and two that were given back.
    expect([ask(), ask(), ask(), ask()]).toEqual([27_000, 27_000, 28_000, 29_000]);
  });

  test('moves every turn by a hold, keeps their distance, and has nothing left in store after it', () => {
    const limit = { requestsPerMinute: 60, burstMs: 5_000 };
    let lane = newLane(0);
    const turns = Array.from({ length: 7 }, () => {
      const told = nextTurn(lane, limit, 0, 0);
      lane = told.lane;
      return told.turn;
    });
    const [sixth = 0, seventh = 0] = turns.slice(5);
    lane = held(lane, limit, 30_000, 500);
    expect(untilTurn(lane, sixth, 500)).toBeCloseTo(30_000, 6);
    expect(untilTurn(lane, seventh, 500)).toBeCloseTo(31_000, 6);
    expect(untilTurn(held(lane, limit, 20_000, 600), seventh, 600)).toBeCloseTo(30_900, 6);

    const idle = held(newLane(0), limit, 30_000, 0);
    const first = nextTurn(idle, limit, 0, 10_000);
    expect(untilTurn(first.lane, first.turn, 10_000)).toBeCloseTo(21_000, 6);
  });

  test('lets a call that is larger than the bucket through once it is full, and is overdrawn then', () => {
    const limit = { tokensPerMinute: 6_000, burstMs: 1_000 };
    const first = nextTurn(newLane(0), limit, 400, 0);
    expect(untilTurn(first.lane, first.turn, 0)).toBe(0);
    const second = nextTurn(first.lane, limit, 0, 0);
    expect(untilTurn(second.lane, second.turn, 0)).toBeCloseTo(3_000, 6);
  });
});
