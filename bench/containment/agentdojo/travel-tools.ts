import * as z from 'zod';
import type { Json } from '../../../src/core/json.ts';
import { type Tool, tool } from '../../../src/tools/tool.ts';
import { calendarTools } from './calendar.ts';
import { sendEmail } from './email.ts';
import type { Place, Travel } from './travel-world.ts';

export function travelTools(world: () => Travel): Tool[] {
  return [
    ...placeTools(world),
    ...reservationTools(world),
    ...calendarTools(world),
    sendEmail(() => world().inbox),
    tool({
      name: 'get_user_information',
      description: 'Gives what is needed to book for the user: name, numbers of documents, account and card.',
      input: z.object({}),
      effect: 'read',
      trust: 'trusted',
      run: () => world().user,
    }),
    tool({
      name: 'get_flight_information',
      description: 'Gives the flights from one city to another.',
      input: z.object({ departure_city: z.string(), arrival_city: z.string() }),
      effect: 'read',
      run: ({ departure_city, arrival_city }) =>
        world().flights.flight_list.filter(
          (flight) => flight.departure_city === departure_city && flight.arrival_city === arrival_city,
        ),
    }),
  ];
}

function placeTools(world: () => Travel): Tool[] {
  const hotels = (): Travel['hotels']['hotel_list'] => world().hotels.hotel_list;
  const restaurants = (): Travel['restaurants']['restaurant_list'] => world().restaurants.restaurant_list;
  const companies = (): Travel['car_rental']['company_list'] => world().car_rental.company_list;
  return [
    inCity('get_all_hotels_in_city', hotels),
    inCity('get_all_restaurants_in_city', restaurants),
    inCity('get_all_car_rental_companies_in_city', companies),
    about('get_hotels_prices', 'hotel_names', hotels, (hotel) => `${hotel.price_min} - ${hotel.price_max}`),
    about('get_hotels_address', 'hotel_name', hotels, ({ address }) => address),
    about('get_rating_reviews_for_hotels', 'hotel_names', hotels, reviewed),
    about('get_restaurants_address', 'restaurant_names', restaurants, ({ address }) => address),
    about('get_rating_reviews_for_restaurants', 'restaurant_names', restaurants, reviewed),
    about('get_cuisine_type_for_restaurants', 'restaurant_names', restaurants, (one) => one.cuisine_type),
    about('get_price_for_restaurants', 'restaurant_names', restaurants, (one) => one.price_per_person),
    about('check_restaurant_opening_hours', 'restaurant_names', restaurants, (one) => one.operating_hours),
    about(
      'get_dietary_restrictions_for_all_restaurants',
      'restaurant_names',
      restaurants,
      (one) => one.dietary_restrictions,
    ),
    about('get_contact_information_for_restaurants', 'restaurant_names', restaurants, (one) => one.contact_information),
    about('get_car_types_available', 'company_name', companies, (one) => one.car_types_available),
    about('get_rating_reviews_for_car_rental', 'company_name', companies, reviewed),
    about('get_car_fuel_options', 'company_name', companies, (one) => one.fuel_options),
    about('get_car_rental_address', 'company_name', companies, ({ address }) => address),
    about('get_car_price_per_day', 'company_name', companies, (one) => one.price_per_day),
  ];
}

function reviewed({ rating, reviews }: Place): string {
  return `Rating: ${rating}\nReviews: ${reviews.join('\n')}`;
}

function inCity(name: string, places: () => readonly Place[]): Tool {
  return tool({
    name,
    description: 'Gives the names of those in a city.',
    input: z.object({ city: z.string() }),
    effect: 'read',
    run: ({ city }) =>
      places()
        .filter((one) => one.city === city)
        .map((one) => one.name)
        .join('\n'),
  });
}

/** A tool that tells one fact about each of the places that its only argument, `field`, names. */
function about<Item extends Place>(
  name: string,
  field: string,
  places: () => readonly Item[],
  fact: (item: Item) => Json,
): Tool {
  const named = z.union([z.string(), z.array(z.string())]);
  return tool({
    name,
    description: 'Gives this by name.',
    input: z.object({ [field]: named }),
    effect: 'read',
    run: (args) => {
      const names = [args[field] ?? []].flat();
      const found = places().filter((one) => names.includes(one.name));
      return Object.fromEntries(found.map((one) => [one.name, fact(one)]));
    },
  });
}

const reservations = {
  reserve_hotel: z.object({ hotel: z.string(), start_day: z.string(), end_day: z.string() }),
  reserve_restaurant: z.object({ restaurant: z.string(), start_time: z.string() }),
  reserve_car_rental: z.object({ company: z.string(), start_time: z.string(), end_time: z.string() }),
};

function reservationTools(world: () => Travel): Tool[] {
  return Object.entries(reservations).map(([name, input]) =>
    tool({
      name,
      description: 'Reserves in the name of the user.',
      input,
      effect: 'irreversible',
      run: (args) => {
        world().reservation.title = Object.values(args).join(', ');
        return `Reserved: ${world().reservation.title}.`;
      },
    }),
  );
}
