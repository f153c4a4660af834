import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import type { AirlineDatabase, Flight, FlightDay } from './airline-database.ts';

const airports = {
  ATL: 'Atlanta',
  BOS: 'Boston',
  CLT: 'Charlotte',
  DEN: 'Denver',
  DFW: 'Dallas',
  DTW: 'Detroit',
  EWR: 'Newark',
  IAH: 'Houston',
  JFK: 'New York',
  LAS: 'Las Vegas',
  LAX: 'Los Angeles',
  LGA: 'LaGuardia',
  MCO: 'Orlando',
  MIA: 'Miami',
  MSP: 'Minneapolis',
  ORD: 'Chicago',
  PHL: 'Philadelphia',
  PHX: 'Phoenix',
  SEA: 'Seattle',
  SFO: 'San Francisco',
};

const route = z.object({
  origin: z.string().describe('Airport code, for example JFK'),
  destination: z.string().describe('Airport code'),
  date: z.string().describe('YYYY-MM-DD'),
});

/** The tools that look for flights. */
export function flightTools({ flights }: AirlineDatabase): Tool[] {
  return [
    tool({
      name: 'list_all_airports',
      description: 'Lists the airports with their cities.',
      input: z.object({}),
      effect: 'read',
      trust: 'trusted',
      run: () => JSON.stringify(airports),
    }),
    tool({
      name: 'search_direct_flight',
      description: 'Finds the direct flights from one airport to another that can be booked on a day.',
      input: route,
      effect: 'read',
      trust: 'trusted',
      run: ({ origin, destination, date }) => {
        const found = Object.values(flights).filter((one) => one.origin === origin && one.destination === destination);
        return JSON.stringify(found.flatMap((one) => offered(one, date) ?? []));
      },
    }),
    tool({
      name: 'search_onestop_flight',
      description: 'Finds pairs of flights with one stop between two airports that can be booked, starting on a day.',
      input: route,
      effect: 'read',
      trust: 'trusted',
      run: ({ origin, destination, date }) => {
        const all = Object.values(flights);
        const pairs = all
          .filter((first) => first.origin === origin)
          .flatMap((first) =>
            all
              .filter((second) => second.origin === first.destination && second.destination === destination)
              .flatMap((second) => connection(first, second, date)),
          );
        return JSON.stringify(pairs);
      },
    }),
  ];
}

type Offered = Omit<Flight, 'dates'> & FlightDay;

/** The flight on one day, if it can be booked. */
function offered({ dates, ...flight }: Flight, date: string): Offered | undefined {
  const day = Object.hasOwn(dates, date) ? dates[date] : undefined;
  return day?.status === 'available' ? { ...flight, ...day } : undefined;
}

/**
 * The pair, if both flights can be booked and the second leaves after the first has arrived. After a landing on the next day the
 * second flight is that day's; the benchmark shows the seats and prices of the day before for it, which no booking gets.
 */
function connection(first: Flight, second: Flight, date: string): (Offered & { date: string })[][] {
  // Times of the same form compare as texts, `+1` behind a time of day included.
  if (first.scheduled_arrival_time_est > second.scheduled_departure_time_est) return [];
  const secondDate = first.scheduled_arrival_time_est.endsWith('+1') ? dayAfter(date) : date;
  const one = offered(first, date);
  const two = offered(second, secondDate);
  return one && two
    ? [
        [
          { ...one, date },
          { ...two, date: secondDate },
        ],
      ]
    : [];
}

function dayAfter(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return date;
  day.setUTCDate(day.getUTCDate() + 1);
  return day.toISOString().slice(0, 10);
}
