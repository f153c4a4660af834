/**
 * Token buckets for requests and tokens, as plain data that a store can keep.
 *
 * 1. A turn is told when it is asked for, and stays: turns come in the order in which they were asked for, and what flows in
 *    between two of them is counted when the later one is told. So in no window do more calls have their turn than a full bucket
 *    and what flowed in allow, and nobody is passed over.
 * 2. Turns are on the lane's own clock, which stands still while the lane is held: a hold moves them all and keeps their distance.
 * 3. What is given back serves later calls only as far as the bucket had room for it all the time up to the last turn that is told.
 *
 * Times are in milliseconds.
 */
import type { ProviderLimit } from '../rate-limit.ts';

const minute = 60_000;

interface Level {
  /** After the last turn; below zero when a call used more than was there. */
  level: number;
  /** Not exceeded after the last look at the lane and up to the last turn. */
  peak: number;
}

export interface Lane {
  /** The last turn that was told, or the last look, on the lane's clock. */
  at: number;
  heldUntil: number;
  /** How far the lane's clock is behind. */
  behind: number;
  requests?: Level | undefined;
  tokens?: Level | undefined;
}

/** What a call takes. */
export interface Amounts {
  requests: number;
  tokens: number;
}

export function newLane(now: number): Lane {
  return { at: now, heldUntil: now, behind: 0 };
}

/** The next turn, for one call that will use so many tokens; an amount above a whole bucket waits for a full one. */
export function nextTurn(lane: Lane, limit: ProviderLimit, tokens: number, now: number): { lane: Lane; turn: number } {
  const here = looked(lane, limit, now);
  const amounts: Amounts = { requests: 1, tokens };
  const wait = Math.max(
    0,
    ...bucketsOf(limit, here).map(({ kind, level, perMs, capacity }) => {
      return (Math.min(amounts[kind], capacity) - level) / perMs;
    }),
  );
  const turn = here.at + wait;
  const isNow = turn <= clockOf(lane, now);
  const after = { ...here, at: turn };
  for (const { kind, level, peak, perMs, capacity } of bucketsOf(limit, here)) {
    const before = Math.min(capacity, level + wait * perMs);
    const rest = before - amounts[kind];
    after[kind] = { level: rest, peak: isNow ? rest : Math.max(peak, before) };
  }
  return { lane: after, turn };
}

/** How long it is to a turn; 0 when it has come. A hold that came since makes it later. */
export function untilTurn(lane: Lane, turn: number, now: number): number {
  return Math.max(0, lane.heldUntil - now) + Math.max(0, turn - clockOf(lane, now));
}

/** Gives back what was not used, or takes what was used beyond what was told (negative amounts). */
export function givenBack(lane: Lane, limit: ProviderLimit, amounts: Amounts, now: number): Lane {
  const here = looked(lane, limit, now);
  const after = { ...here };
  for (const { kind, level, peak, capacity } of bucketsOf(limit, here)) {
    const amount = Math.min(amounts[kind], capacity - peak);
    after[kind] = { level: level + amount, peak: peak + Math.max(0, amount) };
  }
  return after;
}

/** Nobody has a turn until then, and nothing flows in; what was left is gone, since the provider says that there is none. */
export function held(lane: Lane, limit: ProviderLimit, until: number, now: number): Lane {
  if (until <= Math.max(lane.heldUntil, now)) return lane;
  const after = { ...looked(lane, limit, now), heldUntil: until, behind: until - clockOf(lane, now) };
  for (const { kind, level, peak } of bucketsOf(limit, after)) after[kind] = { level: Math.min(level, 0), peak };
  return after;
}

function clockOf(lane: Lane, now: number): number {
  return Math.max(now, lane.heldUntil) - lane.behind;
}

/** The lane with what has flowed in up to now; unchanged while told turns lie ahead. */
function looked(lane: Lane, limit: ProviderLimit, now: number): Lane {
  const clock = clockOf(lane, now);
  const at = Math.max(lane.at, clock);
  const after = { ...lane, at };
  for (const { kind, level, peak, perMs, capacity } of bucketsOf(limit, lane)) {
    const there = Math.min(capacity, level + (at - lane.at) * perMs);
    after[kind] = { level: there, peak: clock < lane.at ? peak : there };
  }
  return after;
}

interface Bucket extends Level {
  kind: keyof Amounts;
  perMs: number;
  capacity: number;
}

/** The buckets a limit asks for; one that the lane does not have yet is full. */
function bucketsOf({ requestsPerMinute, tokensPerMinute, burstMs = minute }: ProviderLimit, lane: Lane): Bucket[] {
  const buckets: Bucket[] = [];
  const add = (kind: keyof Amounts, perMinute: number | undefined): void => {
    if (perMinute === undefined) return;
    const perMs = perMinute / minute;
    // A bucket that cannot hold a single request would let none through.
    const capacity = Math.max(1, perMs * burstMs);
    buckets.push({ kind, perMs, capacity, ...(lane[kind] ?? { level: capacity, peak: capacity }) });
  };
  add('requests', requestsPerMinute);
  add('tokens', tokensPerMinute);
  return buckets;
}
