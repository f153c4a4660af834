import { commonTools, type Desk } from './desk.ts';
import type { RetailDatabase } from './retail-database.ts';
import { deliveredOrderTools } from './retail-delivered-orders.ts';
import { lookupTools } from './retail-lookups.ts';
import { pendingOrderTools } from './retail-pending-orders.ts';

/** The tools of tau-bench's shop on this database, which they change. */
export function retailDesk(database: RetailDatabase): Desk {
  const tools = [
    ...lookupTools(database),
    ...pendingOrderTools(database),
    ...deliveredOrderTools(database),
    ...commonTools(),
  ];
  return { tools, tables: database };
}
