import { bookingTools } from './airline-bookings.ts';
import type { AirlineDatabase } from './airline-database.ts';
import { flightTools } from './airline-flights.ts';
import { profileTools } from './airline-profiles.ts';
import { commonTools, type Desk } from './desk.ts';

/** The tools of tau-bench's airline on this database, which they change. */
export function airlineDesk(database: AirlineDatabase): Desk {
  const tools = [...profileTools(database), ...flightTools(database), ...bookingTools(database), ...commonTools()];
  return { tools, tables: database };
}
