import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import type { RetailDatabase } from './retail-database.ts';
import { checkBalance, checkItems, methodOf, orderIn, priceDifference, swapsOf, toCents } from './retail-orders.ts';

const orderId = z.string().describe('With its #, for example #W2378156');

/** The tools for orders that have arrived. */
export function deliveredOrderTools(database: RetailDatabase): Tool[] {
  return [exchangeTool(database), returnTool(database)];
}

function exchangeTool(database: RetailDatabase): Tool {
  return tool({
    name: 'exchange_delivered_order_items',
    description:
      'Asks for an exchange of items of a delivered order for other variants of the same products. A delivered order can be returned ' +
      'or exchanged once: list all items at once.',
    input: z.object({
      order_id: orderId,
      item_ids: z.array(z.string()).describe('An item that the order has twice may stand twice'),
      new_item_ids: z.array(z.string()).describe('In the same order as item_ids'),
      payment_method_id: z.string().describe('Pays or gets back the difference'),
    }),
    effect: 'write',
    trust: 'trusted',
    run: ({ order_id, item_ids, new_item_ids, payment_method_id }) => {
      const order = orderIn(database, order_id, 'delivered');
      const swaps = swapsOf(order, item_ids, new_item_ids);
      const difference = toCents(priceDifference(database, order, swaps));
      checkBalance(methodOf(database, order, payment_method_id), difference);
      order.status = 'exchange requested';
      order.exchange_items = item_ids.toSorted();
      order.exchange_new_items = new_item_ids.toSorted();
      order.exchange_payment_method_id = payment_method_id;
      order.exchange_price_difference = difference;
      return JSON.stringify(order);
    },
  });
}

function returnTool(database: RetailDatabase): Tool {
  return tool({
    name: 'return_delivered_order_items',
    description:
      'Asks for a return of items of a delivered order. The refund goes to a gift card or to what the order was paid by.',
    input: z.object({
      order_id: orderId,
      item_ids: z.array(z.string()).describe('An item that the order has twice may stand twice'),
      payment_method_id: z.string().describe('Gets the refund'),
    }),
    effect: 'write',
    trust: 'trusted',
    run: ({ order_id, item_ids, payment_method_id }) => {
      const order = orderIn(database, order_id, 'delivered');
      const method = methodOf(database, order, payment_method_id);
      const paidBy = order.payment_history[0]?.payment_method_id;
      if (method.source !== 'gift_card' && payment_method_id !== paidBy)
        throw new Error(`the refund goes to a gift card or to ${paidBy}, not to ${payment_method_id}`);
      checkItems(order, item_ids);
      order.status = 'return requested';
      order.return_items = item_ids.toSorted();
      order.return_payment_method_id = payment_method_id;
      return JSON.stringify(order);
    },
  });
}
