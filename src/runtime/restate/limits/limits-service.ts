import type { ObjectContext } from '@restatedev/restate-sdk';
import type * as z from 'zod';
import { givenBack, held, type Lane, newLane, nextTurn, untilTurn } from '../../../model/rate-limit/lane.ts';
import type { Sdk } from '../sdk.ts';
import {
  correctionSchema,
  holdSchema,
  keepSchema,
  limitsServiceName,
  type Taken,
  takeSchema,
} from './limits-protocol.ts';
import { askPlace, keepPlaces, leavePlace, noPlaces, type Places } from './places.ts';

/** A caller that got no answer asks again under the same key, and gets the same answer for so long. */
const answersKeptMs = 600_000;

/** What the engine keeps of one limit. */
type State = { lane: Lane; places: Places };

/**
 * The Restate object that holds the limits of `restateLimits`, for a worker to serve: one object for each key, which answers at
 * once and never waits. The limits themselves come with the questions, so they are the same in all processes or the last one that
 * asks decides. Times are those of the worker that answers: the clocks of workers have to agree, and a difference delays calls by
 * no more than itself.
 */
export function limitsService(sdk: Sdk, namespace?: string): ReturnType<Sdk['object']> {
  /** A question that no limiter of ours asks would be tried again for ever, and would block the object. */
  const read = <T>(schema: z.ZodType<T>, question: unknown): T => {
    const { success, data, error } = schema.safeParse(question);
    if (success) return data;
    throw new sdk.TerminalError(`this is no question of a limiter: ${error.message}`, { errorCode: 400 });
  };
  return sdk.object({
    name: limitsServiceName(namespace),
    options: {
      journalRetention: 0,
      idempotencyRetention: answersKeptMs,
      retryPolicy: { initialInterval: 50, exponentiationFactor: 2, maxInterval: 2_000, maxAttempts: 1_000_000 },
    },
    handlers: {
      take: async (context: ObjectContext<State>, question: unknown): Promise<Taken> => {
        const { ticket, limit, tokens, leaseMs, turn } = read(takeSchema, question);
        const now = await context.date.now();
        const { concurrency } = limit;
        if (concurrency !== undefined) {
          const asked = askPlace((await context.get('places')) ?? noPlaces, { ticket, concurrency, leaseMs }, now);
          context.set('places', asked.places);
          if (asked.waitMs > 0) return { waitMs: asked.waitMs };
        }
        const lane = (await context.get('lane')) ?? newLane(now);
        if (turn !== undefined) return { waitMs: untilTurn(lane, turn, now), turn };
        const next = nextTurn(lane, limit, tokens, now);
        context.set('lane', next.lane);
        return { waitMs: untilTurn(next.lane, next.turn, now), turn: next.turn };
      },
      correct: async (context: ObjectContext<State>, question: unknown): Promise<void> => {
        const { ticket, limit, unused } = read(correctionSchema, question);
        const now = await context.date.now();
        const places = await context.get('places');
        if (places) context.set('places', leavePlace(places, ticket));
        const lane = await context.get('lane');
        if (lane) context.set('lane', givenBack(lane, limit, unused, now));
      },
      holdUntil: async (context: ObjectContext<State>, question: unknown): Promise<void> => {
        const { limit, ms } = read(holdSchema, question);
        const now = await context.date.now();
        context.set('lane', held((await context.get('lane')) ?? newLane(now), limit, now + ms, now));
      },
      keep: async (context: ObjectContext<State>, question: unknown): Promise<void> => {
        const { tickets, leaseMs } = read(keepSchema, question);
        const now = await context.date.now();
        const places = await context.get('places');
        if (places) context.set('places', keepPlaces(places, tickets, now + leaseMs));
      },
    },
  });
}
