import { describe, expect, it } from 'vitest';
import { AirlineDatabase } from './airline-database.ts';
import { airlineDesk } from './airline-desk.ts';
import { changesOf, type Desk, type RecordedCall, replay } from './desk.ts';

const day = { status: 'available', available_seats: seats(5, 2, 1), prices: seats(50, 100, 300) };

function seats(basic_economy: number, economy: number, business: number): Record<string, number> {
  return { basic_economy, economy, business };
}

function flight(flight_number: string, origin: string, destination: string, times: [string, string]) {
  const [scheduled_departure_time_est, scheduled_arrival_time_est] = times;
  const dates = {
    '2024-06-01': day,
    '2024-06-02': { ...day, prices: seats(60, 120, 320) },
    '2024-06-03': { status: 'delayed' },
  };
  return { flight_number, origin, destination, scheduled_departure_time_est, scheduled_arrival_time_est, dates };
}

const ann = { first_name: 'Ann', last_name: 'Roe', dob: '1980-02-03' };

const database = AirlineDatabase.parse({
  users: {
    ann_roe: {
      payment_methods: {
        card_1: { source: 'credit_card', id: 'card_1' },
        gift_1: { source: 'gift_card', amount: 90, id: 'gift_1' },
        certificate_1: { source: 'certificate', amount: 150, id: 'certificate_1' },
      },
      reservations: ['AAA111'],
    },
  },
  reservations: {
    AAA111: {
      reservation_id: 'AAA111',
      user_id: 'ann_roe',
      origin: 'LIS',
      destination: 'OSL',
      flight_type: 'one_way',
      cabin: 'economy',
      flights: [{ flight_number: 'X1', date: '2024-06-01', price: 80, origin: 'LIS', destination: 'OSL' }],
      passengers: [ann, { ...ann, first_name: 'Bea' }],
      payment_history: [{ payment_id: 'card_1', amount: 160 }],
      created_at: '2024-05-01T00:00:00',
      total_baggages: 2,
      nonfree_baggages: 0,
      insurance: 'no',
    },
  },
  flights: {
    X1: flight('X1', 'LIS', 'OSL', ['09:00:00', '12:00:00']),
    X2: flight('X2', 'OSL', 'HEL', ['11:00:00', '13:00:00']),
    X3: flight('X3', 'OSL', 'HEL', ['14:00:00', '16:00:00']),
    X4: flight('X4', 'LIS', 'OSL', ['22:00:00', '01:30:00+1']),
  },
});

const open = (): Desk => airlineDesk(structuredClone(database));

/** What the calls change, and the result or error of the last. */
async function outcomeOf(...calls: RecordedCall[]) {
  const desk = open();
  const replayed = await replay(desk.tools, calls);
  const last = replayed.at(-1) ?? {};
  const result = 'result' in last ? JSON.parse(String(last.result)) : undefined;
  return { changes: changesOf(database, desk.tables), result, error: 'error' in last ? last.error : undefined };
}

function booking(change: Record<string, unknown> = {}): RecordedCall {
  const args = {
    user_id: 'ann_roe',
    origin: 'LIS',
    destination: 'OSL',
    flight_type: 'one_way',
    cabin: 'economy',
    flights: [{ flight_number: 'X1', date: '2024-06-02' }],
    passengers: [ann],
    payment_methods: [
      { payment_id: 'certificate_1', amount: 150 },
      { payment_id: 'gift_1', amount: 50 },
    ],
    total_baggages: 2,
    nonfree_baggages: 1,
    insurance: 'yes',
    ...change,
  };
  return { name: 'book_reservation', args: JSON.parse(JSON.stringify(args)) };
}

describe('book_reservation', () => {
  it('charges seats, insurance and bags, takes off the gift card and uses the certificate up', async () => {
    const { changes, result } = await outcomeOf(booking());
    expect(result).toMatchObject({ flights: [{ price: 120, origin: 'LIS', destination: 'OSL' }] });
    const user = changes['users/ann_roe'] as unknown as typeof database.users.ann_roe;
    expect(user?.payment_methods['gift_1']?.amount).toBe(40);
    expect(user?.payment_methods).not.toHaveProperty('certificate_1');
    expect(user?.reservations).toEqual(['AAA111', result.reservation_id]);
    expect(changes).toHaveProperty([`reservations/${result.reservation_id}`]);
  });

  it.each([
    ['payments that do not add up', { insurance: 'no' }, 'add up to $200'],
    ['a flight that is not on sale', { flights: [{ flight_number: 'X1', date: '2024-06-03' }] }, 'delayed'],
    ['a day the flight does not have', { flights: [{ flight_number: 'X1', date: '2024-07-03' }] }, 'no day of flight'],
    ['more passengers than seats', { cabin: 'business', passengers: [ann, ann] }, '1 seats left'],
    ['a gift card with too little', { payment_methods: [{ payment_id: 'gift_1', amount: 200 }] }, '$90 left'],
    ['a payment method of nobody', { payment_methods: [{ payment_id: 'card_9', amount: 200 }] }, "'card_9'"],
    ['a user of the prototype', { user_id: 'constructor' }, "no user 'constructor'"],
  ])('refuses %s and changes nothing', async (_name, change, why) => {
    const { changes, error } = await outcomeOf(booking(change));
    expect(error).toContain(why);
    expect(changes).toEqual({});
  });
});

describe('changes of a reservation', () => {
  const to = (flight_number: string, date: string, payment_id = 'card_1', cabin = 'economy'): RecordedCall => ({
    name: 'update_reservation_flights',
    args: { reservation_id: 'AAA111', cabin, flights: [{ flight_number, date }], payment_id },
  });

  it('charges the difference to today’s price for all passengers', async () => {
    expect((await outcomeOf(to('X1', '2024-06-02'))).result.payment_history.at(-1)).toEqual({
      payment_id: 'card_1',
      amount: 2 * (120 - 80),
    });
  });

  it('keeps the price of a flight that stays, and writes no payment of nothing', async () => {
    const { result, changes } = await outcomeOf(to('X1', '2024-06-01'));
    expect(result.flights[0].price).toBe(80);
    expect(changes).toEqual({});
  });

  it('prices a flight that stays anew in another cabin', async () => {
    const { error } = await outcomeOf(to('X1', '2024-06-01', 'card_1', 'business'));
    expect(error).toContain('1 seats left');
  });

  it('refuses a certificate and a gift card that has too little', async () => {
    expect((await outcomeOf(to('X1', '2024-06-02', 'certificate_1'))).error).toContain('certificate cannot');
    const bags = { reservation_id: 'AAA111', total_baggages: 4, nonfree_baggages: 2, payment_id: 'gift_1' };
    const { error, changes } = await outcomeOf({ name: 'update_reservation_baggages', args: bags });
    expect(error).toContain('$90 left, not $100');
    expect(changes).toEqual({});
  });

  it('refunds nothing for fewer paid bags', async () => {
    const bags = { reservation_id: 'AAA111', total_baggages: 1, nonfree_baggages: 0, payment_id: 'gift_1' };
    const { changes } = await outcomeOf({ name: 'update_reservation_baggages', args: bags });
    expect(Object.keys(changes)).toEqual(['reservations/AAA111']);
  });

  it('cancels with a refund of every payment', async () => {
    const { result } = await outcomeOf({ name: 'cancel_reservation', args: { reservation_id: 'AAA111' } });
    expect(result).toMatchObject({ status: 'cancelled', payment_history: [{ amount: 160 }, { amount: -160 }] });
  });

  it('refuses another number of passengers', async () => {
    const args = { reservation_id: 'AAA111', passengers: [ann] };
    expect((await outcomeOf({ name: 'update_reservation_passengers', args })).error).toContain('2 passengers, not 1');
  });
});

describe('searches', () => {
  const search = (name: string, destination: string, date: string) =>
    outcomeOf({ name, args: { origin: 'LIS', destination, date } });

  it('find the flights that can be booked, with the seats and prices of the day', async () => {
    const { result } = await search('search_direct_flight', 'OSL', '2024-06-02');
    expect(result).toMatchObject([{ flight_number: 'X1', prices: { economy: 120 } }, { flight_number: 'X4' }]);
    expect((await search('search_direct_flight', 'OSL', '2024-06-03')).result).toEqual([]);
  });

  it('connect only flights that can be caught, those of the next day after a night flight', async () => {
    const { result } = await search('search_onestop_flight', 'HEL', '2024-06-01');
    const pairs = result.map((pair: { flight_number: string; date: string; prices: unknown }[]) =>
      pair.map((one) => `${one.flight_number} ${one.date}`),
    );
    expect(pairs).toEqual([
      ['X1 2024-06-01', 'X3 2024-06-01'],
      ['X4 2024-06-01', 'X2 2024-06-02'],
      ['X4 2024-06-01', 'X3 2024-06-02'],
    ]);
    expect(result[1][1].prices.economy).toBe(120);
  });
});
