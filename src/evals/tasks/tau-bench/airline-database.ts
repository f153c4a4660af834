import * as z from 'zod';

export const cabins = ['basic_economy', 'economy', 'business'] as const;
export type Cabin = (typeof cabins)[number];

export interface PaymentMethod {
  source: string;
  /** What is left on a gift card or a certificate, in USD. */
  amount?: number | undefined;
  id: string;
}

export interface AirlineUser {
  payment_methods: Record<string, PaymentMethod>;
  reservations: string[];
}

export interface Passenger {
  first_name: string;
  last_name: string;
  dob: string;
}

/** One flight of a reservation on one day. `price` is for one passenger, in USD. */
export interface Segment {
  flight_number: string;
  date: string;
  price: number;
  origin: string;
  destination: string;
}

/** A negative amount is a refund. */
export interface Payment {
  payment_id: string;
  amount: number;
}

export interface Reservation {
  reservation_id: string;
  user_id: string;
  origin: string;
  destination: string;
  flight_type: string;
  cabin: Cabin;
  flights: Segment[];
  passengers: Passenger[];
  payment_history: Payment[];
  created_at: string;
  total_baggages: number;
  nonfree_baggages: number;
  insurance: string;
  status?: string | undefined;
}

/** Only an `available` day has seats and prices. */
export interface FlightDay {
  status: string;
  available_seats?: Record<Cabin, number> | undefined;
  prices?: Record<Cabin, number> | undefined;
}

/** Times of day in EST; an arrival on the next day ends in `+1`. Days by date. */
export interface Flight {
  flight_number: string;
  origin: string;
  destination: string;
  scheduled_departure_time_est: string;
  scheduled_arrival_time_est: string;
  dates: Record<string, FlightDay>;
}

export type AirlineDatabase = {
  users: Record<string, AirlineUser>;
  reservations: Record<string, Reservation>;
  flights: Record<string, Flight>;
};

const byCabin = z.object({ basic_economy: z.number(), economy: z.number(), business: z.number() });
const payment = z.object({ payment_id: z.string(), amount: z.number() });

const flightDay = z.looseObject({
  status: z.string(),
  available_seats: byCabin.optional(),
  prices: byCabin.optional(),
});

const flight = z.looseObject({
  flight_number: z.string(),
  origin: z.string(),
  destination: z.string(),
  scheduled_departure_time_est: z.string(),
  scheduled_arrival_time_est: z.string(),
  dates: z.record(z.string(), flightDay),
});

const user = z.looseObject({
  payment_methods: z.record(
    z.string(),
    z.looseObject({ source: z.string(), amount: z.number().optional(), id: z.string() }),
  ),
  reservations: z.array(z.string()),
});

const reservation = z.looseObject({
  reservation_id: z.string(),
  user_id: z.string(),
  origin: z.string(),
  destination: z.string(),
  flight_type: z.string(),
  cabin: z.enum(cabins),
  flights: z.array(
    z.looseObject({
      flight_number: z.string(),
      date: z.string(),
      price: z.number(),
      origin: z.string(),
      destination: z.string(),
    }),
  ),
  passengers: z.array(z.looseObject({ first_name: z.string(), last_name: z.string(), dob: z.string() })),
  payment_history: z.array(payment),
  created_at: z.string(),
  total_baggages: z.number(),
  nonfree_baggages: z.number(),
  insurance: z.string(),
  status: z.string().optional(),
});

export const AirlineDatabase: z.ZodType<AirlineDatabase> = z.object({
  users: z.record(z.string(), user),
  reservations: z.record(z.string(), reservation),
  flights: z.record(z.string(), flight),
});
