import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import { recordOf } from './desk.ts';
import type { Customer, RetailDatabase } from './retail-database.ts';

/** The tools that find users, orders and products. */
export function lookupTools(database: RetailDatabase): Tool[] {
  return [...userTools(database), ...catalogueTools(database)];
}

function userTools({ users }: RetailDatabase): Tool[] {
  const idWhere = (fits: (user: Customer) => boolean): string => {
    const found = Object.entries(users).find(([, user]) => fits(user));
    if (!found) throw new Error('there is no such user');
    return found[0];
  };
  return [
    tool({
      name: 'find_user_id_by_email',
      description: 'Finds the id of a user by email address.',
      input: z.object({ email: z.string() }),
      effect: 'read',
      trust: 'trusted',
      run: ({ email }) => idWhere((user) => same(user.email, email)),
    }),
    tool({
      name: 'find_user_id_by_name_zip',
      description: 'Finds the id of a user by name and zip code, for users who do not know their email address.',
      input: z.object({ first_name: z.string(), last_name: z.string(), zip: z.string() }),
      effect: 'read',
      trust: 'trusted',
      run: ({ first_name, last_name, zip }) =>
        idWhere(
          ({ name, address }) =>
            same(name.first_name, first_name) && same(name.last_name, last_name) && address.zip === zip,
        ),
    }),
    tool({
      name: 'get_user_details',
      description: 'Shows the profile of a user: address, payment methods, ids of orders.',
      input: z.object({ user_id: z.string() }),
      effect: 'read',
      trust: 'trusted',
      run: ({ user_id }) => JSON.stringify(recordOf(users, user_id, 'user')),
    }),
  ];
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function catalogueTools({ orders, products }: RetailDatabase): Tool[] {
  return [
    tool({
      name: 'get_order_details',
      description: 'Shows an order: status, items, payments, address.',
      input: z.object({ order_id: z.string().describe('With its #, for example #W2378156') }),
      effect: 'read',
      trust: 'trusted',
      run: ({ order_id }) => JSON.stringify(recordOf(orders, order_id, 'order')),
    }),
    tool({
      name: 'list_all_product_types',
      description: 'Lists all products by name with their product ids.',
      input: z.object({}),
      effect: 'read',
      trust: 'trusted',
      run: () => {
        const listed = Object.values(products).map(({ name, product_id }): [string, string] => [name, product_id]);
        return JSON.stringify(Object.fromEntries(listed.sort(([a], [b]) => (a < b ? -1 : 1))));
      },
    }),
    tool({
      name: 'get_product_details',
      description: 'Shows the variants of a product: item ids, options, prices, what is available.',
      input: z.object({ product_id: z.string().describe('Not an item id') }),
      effect: 'read',
      trust: 'trusted',
      run: ({ product_id }) => JSON.stringify(recordOf(products, product_id, 'product')),
    }),
  ];
}
