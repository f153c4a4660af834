/** What limiters in many processes and the engine's object of a limit say to each other. Durations only: their clocks may differ. */
import * as z from 'zod';
import type { ProviderLimit } from '../../../model/rate-limit.ts';
import { ServiceNames } from '../service-names.ts';

/** No workflow has this name: in an encoded name a dot is followed by a digit pair or a dot. */
export function limitsServiceName(namespace: string | undefined): string {
  return `${new ServiceNames(namespace).of('limits')}.-object`;
}

const amount = z.number().optional();
const limit: z.ZodType<ProviderLimit> = z.object({
  concurrency: amount,
  requestsPerMinute: amount,
  tokensPerMinute: amount,
  burstMs: amount,
});

/** Asks for a turn, or for the time to one that was told. */
export interface Take {
  /** Of one call, the same each time it asks. */
  ticket: string;
  limit: ProviderLimit;
  tokens: number;
  /** How long a place is kept for a caller that is not heard of. */
  leaseMs: number;
  turn?: number | undefined;
}

export const takeSchema: z.ZodType<Take> = z.object({
  ticket: z.string(),
  limit,
  tokens: z.number(),
  leaseMs: z.number(),
  turn: z.number().optional(),
});

export interface Taken {
  /** When to ask again; 0 lets the call go if it has a turn. */
  waitMs: number;
  /** Missing while the call waits for a place. */
  turn?: number | undefined;
}

export const takenSchema: z.ZodType<Taken> = z.object({ waitMs: z.number(), turn: z.number().optional() });

/** A call is over or given up. */
export interface Correction {
  ticket: string;
  limit: ProviderLimit;
  /** Negative where more was used than told. */
  unused: { requests: number; tokens: number };
}

export const correctionSchema: z.ZodType<Correction> = z.object({
  ticket: z.string(),
  limit,
  unused: z.object({ requests: z.number(), tokens: z.number() }),
});

export interface Hold {
  limit: ProviderLimit;
  ms: number;
}

export const holdSchema: z.ZodType<Hold> = z.object({ limit, ms: z.number() });

/** These calls still go on. */
export interface Keep {
  tickets: string[];
  leaseMs: number;
}

export const keepSchema: z.ZodType<Keep> = z.object({ tickets: z.array(z.string()), leaseMs: z.number() });
