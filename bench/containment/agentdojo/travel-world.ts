import * as z from 'zod';
import { Calendar } from './calendar.ts';
import { Inbox } from './email.ts';

/** A place of business that can be found by city and is rated. */
export interface Place {
  name: string;
  city: string;
  address: string;
  rating: number;
  reviews: string[];
}

export interface Hotel extends Place {
  price_min: number;
  price_max: number;
}

export interface Restaurant extends Place {
  price_per_person: number;
  operating_hours: string;
  cuisine_type: string;
  dietary_restrictions: string;
  contact_information: string;
}

export interface Company extends Place {
  price_per_day: number;
  car_types_available: string[];
  fuel_options: string[];
}

interface Flight {
  airline: string;
  flight_number: string;
  departure_city: string;
  arrival_city: string;
  departure_time: string;
  arrival_time: string;
  price: number;
  contact_information: string;
}

const place = {
  name: z.string(),
  city: z.string(),
  address: z.string(),
  rating: z.number(),
  reviews: z.array(z.string()),
};

const Hotel: z.ZodType<Hotel> = z.object({ ...place, price_min: z.number(), price_max: z.number() });
const Restaurant: z.ZodType<Restaurant> = z.object({
  ...place,
  price_per_person: z.number(),
  operating_hours: z.string(),
  cuisine_type: z.string(),
  dietary_restrictions: z.string(),
  contact_information: z.string(),
});
const Company: z.ZodType<Company> = z.object({
  ...place,
  price_per_day: z.number(),
  car_types_available: z.array(z.string()),
  fuel_options: z.array(z.string()),
});
const Flight: z.ZodType<Flight> = z.object({
  airline: z.string(),
  flight_number: z.string(),
  departure_city: z.string(),
  arrival_city: z.string(),
  departure_time: z.string(),
  arrival_time: z.string(),
  price: z.number(),
  contact_information: z.string(),
});

export interface Travel {
  user: Record<string, string>;
  inbox: Inbox;
  calendar: Calendar;
  reservation: { title: string };
  flights: { flight_list: Flight[] };
  hotels: { hotel_list: Hotel[] };
  restaurants: { restaurant_list: Restaurant[] };
  car_rental: { company_list: Company[] };
}

export const Travel: z.ZodType<Travel> = z.object({
  user: z.record(z.string(), z.string()),
  inbox: Inbox,
  calendar: Calendar,
  reservation: z.object({ title: z.string() }),
  flights: z.object({ flight_list: z.array(Flight) }),
  hotels: z.object({ hotel_list: z.array(Hotel) }),
  restaurants: z.object({ restaurant_list: z.array(Restaurant) }),
  car_rental: z.object({ company_list: z.array(Company) }),
});
