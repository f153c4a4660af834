/**
 * The tools that change reservations. What the benchmark (Yao et al. 2024) does not check is not checked here either: the agent has to
 * know the policy. Its oddities that a reward depends on are kept, so that rewards can be compared with published ones.
 */
import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import {
  type AirlineDatabase,
  type AirlineUser,
  type Cabin,
  cabins,
  type Payment,
  type PaymentMethod,
  type Reservation,
  type Segment,
} from './airline-database.ts';
import { recordOf } from './desk.ts';

/** The benchmark's own ids for new reservations; recorded runs refer to them. */
const newReservations = ['HATHAT', 'HATHAU', 'HATHAV'];
const bookedAt = '2024-05-15T15:00:00';
const usdPerInsuredPassenger = 30;
const usdPerBag = 50;

const cabin = z.enum(cabins);
const reservationId = z.string().describe('Six letters and digits, for example 8JX2WO');
const flights = z.array(
  z.object({ flight_number: z.string().describe('For example HAT039'), date: z.string().describe('YYYY-MM-DD') }),
);
const passengers = z.array(
  z.object({ first_name: z.string(), last_name: z.string(), dob: z.string().describe('YYYY-MM-DD') }),
);
const paymentId = z.string().describe('As it stands in the profile of the user, for example credit_card_4421486');

export function bookingTools(database: AirlineDatabase): Tool[] {
  return [
    bookTool(database),
    cancelTool(database),
    flightsTool(database),
    baggageTool(database),
    passengersTool(database),
  ];
}

function bookTool(database: AirlineDatabase): Tool {
  return tool({
    name: 'book_reservation',
    description:
      'Books flights for passengers. The amounts of the payment methods have to add up to the price: seats, $30 for each insured ' +
      'passenger, $50 for each bag that is not free.',
    input: z.object({
      user_id: z.string(),
      origin: z.string().describe('Airport code'),
      destination: z.string().describe('Airport code'),
      flight_type: z.enum(['one_way', 'round_trip']),
      cabin,
      flights,
      passengers,
      payment_methods: z.array(z.object({ payment_id: paymentId, amount: z.number().describe('In USD') })),
      total_baggages: z.int().describe('All checked bags'),
      nonfree_baggages: z.int().describe('Those of them that are paid for'),
      insurance: z.enum(['yes', 'no']),
    }),
    effect: 'write',
    trust: 'trusted',
    run: ({ flights: wanted, payment_methods: payments, ...rest }) => {
      const user = recordOf(database.users, rest.user_id, 'user');
      const seats = rest.passengers.length;
      const segments = wanted.map((one) => segment(database, one, { cabin: rest.cabin, seats }));
      const insured = rest.insurance === 'yes' ? usdPerInsuredPassenger * seats : 0;
      pay(user, payments, total(segments, seats) + insured + usdPerBag * rest.nonfree_baggages);
      const reservation_id = newReservations.find((id) => !Object.hasOwn(database.reservations, id));
      if (reservation_id === undefined)
        throw new Error(`at most ${newReservations.length} reservations can be made here`);
      const made = { reservation_id, ...rest, flights: segments, payment_history: payments, created_at: bookedAt };
      database.reservations[reservation_id] = made;
      user.reservations.push(reservation_id);
      return JSON.stringify(made);
    },
  });
}

function cancelTool({ reservations }: AirlineDatabase): Tool {
  return tool({
    name: 'cancel_reservation',
    description: 'Cancels a whole reservation and refunds its payments.',
    input: z.object({ reservation_id: reservationId }),
    effect: 'write',
    trust: 'trusted',
    run: ({ reservation_id }) => {
      const cancelled = recordOf(reservations, reservation_id, 'reservation');
      const refunds = cancelled.payment_history.map(({ payment_id, amount }) => ({ payment_id, amount: -amount }));
      cancelled.payment_history.push(...refunds);
      cancelled.status = 'cancelled';
      return JSON.stringify(cancelled);
    },
  });
}

function flightsTool(database: AirlineDatabase): Tool {
  return tool({
    name: 'update_reservation_flights',
    description:
      'Changes the flights or the cabin of a reservation; the difference in price is charged or refunded to one payment method. ' +
      'List all flights that the reservation is to have, those that stay too.',
    input: z.object({ reservation_id: reservationId, cabin, flights, payment_id: paymentId }),
    effect: 'write',
    trust: 'trusted',
    run: ({ reservation_id, cabin: wantedCabin, flights: wanted, payment_id }) => {
      const changed = recordOf(database.reservations, reservation_id, 'reservation');
      const seats = changed.passengers.length;
      const segments = wanted.map((one) => {
        // A flight that stays keeps the price it was bought for.
        const kept = wantedCabin === changed.cabin ? changed.flights.find((old) => isSame(old, one)) : undefined;
        return kept ? structuredClone(kept) : segment(database, one, { cabin: wantedCabin, seats });
      });
      charge(database, changed, { payment_id, amount: total(segments, seats) - total(changed.flights, seats) });
      // The benchmark leaves `cabin` as it was.
      changed.flights = segments;
      return JSON.stringify(changed);
    },
  });
}

function baggageTool(database: AirlineDatabase): Tool {
  return tool({
    name: 'update_reservation_baggages',
    description: 'Changes the number of checked bags of a reservation; each added bag that is not free costs $50.',
    input: z.object({
      reservation_id: reservationId,
      total_baggages: z.int().describe('All checked bags after the change'),
      nonfree_baggages: z.int().describe('Those of them that are paid for'),
      payment_id: paymentId,
    }),
    effect: 'write',
    trust: 'trusted',
    run: ({ reservation_id, total_baggages, nonfree_baggages, payment_id }) => {
      const changed = recordOf(database.reservations, reservation_id, 'reservation');
      const added = Math.max(0, nonfree_baggages - changed.nonfree_baggages);
      charge(database, changed, { payment_id, amount: usdPerBag * added });
      changed.total_baggages = total_baggages;
      changed.nonfree_baggages = nonfree_baggages;
      return JSON.stringify(changed);
    },
  });
}

function passengersTool({ reservations }: AirlineDatabase): Tool {
  return tool({
    name: 'update_reservation_passengers',
    description: 'Replaces the passengers of a reservation by the same number of passengers.',
    input: z.object({ reservation_id: reservationId, passengers }),
    effect: 'write',
    trust: 'trusted',
    run: ({ reservation_id, passengers: wanted }) => {
      const changed = recordOf(reservations, reservation_id, 'reservation');
      const { length } = changed.passengers;
      if (wanted.length !== length)
        throw new Error(`the reservation is for ${length} passengers, not ${wanted.length}`);
      changed.passengers = wanted;
      return JSON.stringify(changed);
    },
  });
}

function isSame(segment: Segment, wanted: { flight_number: string; date: string }): boolean {
  return segment.flight_number === wanted.flight_number && segment.date === wanted.date;
}

/** A flight at today's price. Seats are not taken: the benchmark's flights stay as they are. */
function segment(
  database: AirlineDatabase,
  { flight_number, date }: { flight_number: string; date: string },
  wanted: { cabin: Cabin; seats: number },
): Segment {
  const { origin, destination, dates } = recordOf(database.flights, flight_number, 'flight');
  const day = recordOf(dates, date, `day of flight ${flight_number}`);
  const price = day.prices?.[wanted.cabin];
  if (day.status !== 'available' || price === undefined)
    throw new Error(`flight ${flight_number} cannot be booked on ${date}: it is ${day.status}`);
  const free = day.available_seats?.[wanted.cabin] ?? 0;
  if (free < wanted.seats)
    throw new Error(`flight ${flight_number} has ${free} seats left in ${wanted.cabin} on ${date}`);
  return { flight_number, date, price, origin, destination };
}

function total(segments: readonly Segment[], seats: number): number {
  return segments.reduce((sum, { price }) => sum + price * seats, 0);
}

function methodOf(user: AirlineUser, id: string): PaymentMethod {
  return recordOf(user.payment_methods, id, 'payment method');
}

/** Pays for a booking. A certificate is used up whatever it was worth. */
function pay(user: AirlineUser, payments: readonly Payment[], price: number): void {
  for (const { payment_id, amount } of payments) {
    const { source, amount: left = 0 } = methodOf(user, payment_id);
    if (source !== 'credit_card' && left < amount) throw new Error(`${payment_id} has $${left} left, not $${amount}`);
  }
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0);
  if (paid !== price) throw new Error(`the price is $${price}, and the payments add up to $${paid}`);
  for (const { payment_id, amount } of payments) {
    const method = methodOf(user, payment_id);
    if (method.source === 'gift_card') method.amount = (method.amount ?? 0) - amount;
    if (method.source === 'certificate') delete user.payment_methods[payment_id];
  }
}

/** Charges a change of a reservation; a negative amount is refunded. */
function charge(database: AirlineDatabase, reservation: Reservation, { payment_id, amount }: Payment): void {
  const method = methodOf(recordOf(database.users, reservation.user_id, 'user'), payment_id);
  if (method.source === 'certificate') throw new Error('a certificate cannot pay for a change of a reservation');
  if (method.source === 'gift_card') {
    const left = method.amount ?? 0;
    if (left < amount) throw new Error(`${payment_id} has $${left} left, not $${amount}`);
    method.amount = left - amount;
  }
  if (amount !== 0) reservation.payment_history.push({ payment_id, amount });
}
