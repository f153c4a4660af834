/**
 * So many calls at once, of callers that may die: places are leased, and those that wait keep asking.
 *
 * 1. A lease that is not renewed ends, so the place of a killed worker is free again.
 * 2. Places are given in the order in which they were first asked for, to those that still ask.
 */

/** Plain data, in milliseconds since the epoch. */
export interface Places {
  /** When each lease ends, by ticket. */
  leases: Record<string, number>;
  /** First come first. */
  queue: { ticket: string; heardAt: number }[];
}

export const noPlaces: Places = { leases: {}, queue: [] };

const shortestWaitMs = 25;
const longestWaitMs = 1_000;
/** One that waits and is silent for so long has gone. */
const silentMs = 5_000;

export interface PlaceRequest {
  ticket: string;
  concurrency: number;
  leaseMs: number;
}

/** A place, or how long to wait before asking again; the place of a ticket that has one is leased anew. */
export function askPlace(places: Places, request: PlaceRequest, now: number): { places: Places; waitMs: number } {
  const { ticket, concurrency, leaseMs } = request;
  const leases = running(places, now);
  const queue = places.queue.filter((one) => one.ticket === ticket || now - one.heardAt < silentMs);
  const known = queue.findIndex((one) => one.ticket === ticket);
  const free = concurrency - Object.keys(leases).length;
  const position = known === -1 ? queue.length : known;
  if (ticket in leases || position < free) {
    leases[ticket] = now + leaseMs;
    return { places: { leases, queue: queue.filter((one) => one.ticket !== ticket) }, waitMs: 0 };
  }
  queue[position] = { ticket, heardAt: now };
  const behind = position - Math.max(0, free) + 1;
  return { places: { leases, queue }, waitMs: Math.min(longestWaitMs, behind * shortestWaitMs) };
}

/** Leases anew what these tickets have. A place that was lost in the meantime stays lost. */
export function keepPlaces(places: Places, tickets: readonly string[], until: number): Places {
  const leases = { ...places.leases };
  for (const ticket of tickets) if (ticket in leases) leases[ticket] = until;
  return { ...places, leases };
}

/** Without the ticket, whether it had a place or waited for one. */
export function leavePlace({ leases, queue }: Places, ticket: string): Places {
  const { [ticket]: _, ...others } = leases;
  return { leases: others, queue: queue.filter((one) => one.ticket !== ticket) };
}

function running({ leases }: Places, now: number): Record<string, number> {
  return Object.fromEntries(Object.entries(leases).filter(([, until]) => until > now));
}
