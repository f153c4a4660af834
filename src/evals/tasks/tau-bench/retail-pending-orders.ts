import * as z from 'zod';
import { type Tool, tool } from '../../../tools/tool.ts';
import { recordOf } from './desk.ts';
import { Address, type RetailDatabase } from './retail-database.ts';
import { checkBalance, debit, exchangeOf, methodOf, orderIn, priceDifference, swapsOf } from './retail-orders.ts';

const orderId = z.string().describe('With its #, for example #W2378156');
const paymentMethodId = z.string().describe('As it stands in the profile of the user, for example credit_card_9513926');

/** The tools that change orders before they are sent, and addresses. */
export function pendingOrderTools(database: RetailDatabase): Tool[] {
  return [cancelTool(database), itemsTool(database), paymentTool(database), ...addressTools(database)];
}

function cancelTool(database: RetailDatabase): Tool {
  return tool({
    name: 'cancel_pending_order',
    description: 'Cancels a pending order and refunds it: a gift card at once, other methods in 5 to 7 business days.',
    input: z.object({ order_id: orderId, reason: z.enum(['no longer needed', 'ordered by mistake']) }),
    effect: 'write',
    trust: 'trusted',
    run: ({ order_id, reason }) => {
      const cancelled = orderIn(database, order_id, 'pending');
      const refunds = cancelled.payment_history.map(({ amount, payment_method_id }) => ({
        transaction_type: 'refund',
        amount,
        payment_method_id,
      }));
      const credits = refunds.map(({ amount, payment_method_id }) => ({
        amount,
        method: methodOf(database, cancelled, payment_method_id),
      }));
      for (const { amount, method } of credits) debit(method, -amount);
      cancelled.payment_history.push(...refunds);
      cancelled.status = 'cancelled';
      cancelled.cancel_reason = reason;
      return JSON.stringify(cancelled);
    },
  });
}

function itemsTool(database: RetailDatabase): Tool {
  return tool({
    name: 'modify_pending_order_items',
    description:
      'Exchanges items of a pending order for other variants of the same products. It works once for an order: list all items at once.',
    input: z.object({
      order_id: orderId,
      item_ids: z.array(z.string()).describe('An item that the order has twice may stand twice'),
      new_item_ids: z.array(z.string()).describe('In the same order as item_ids'),
      payment_method_id: paymentMethodId.describe('Pays or gets back the difference'),
    }),
    effect: 'write',
    trust: 'trusted',
    run: ({ order_id, item_ids, new_item_ids, payment_method_id }) => {
      const changed = orderIn(database, order_id, 'pending');
      const swaps = swapsOf(changed, item_ids, new_item_ids);
      const difference = priceDifference(database, changed, swaps);
      const method = methodOf(database, changed, payment_method_id);
      checkBalance(method, difference);
      debit(method, difference);
      changed.payment_history.push({
        transaction_type: difference > 0 ? 'payment' : 'refund',
        // Not rounded, as in the benchmark: rewards compare states.
        amount: Math.abs(difference),
        payment_method_id,
      });
      for (const swap of swaps) {
        const { item, variant } = exchangeOf(database, changed, swap);
        Object.assign(item, { item_id: swap.newItemId, price: variant.price, options: variant.options });
      }
      changed.status = 'pending (item modified)';
      return JSON.stringify(changed);
    },
  });
}

function paymentTool(database: RetailDatabase): Tool {
  return tool({
    name: 'modify_pending_order_payment',
    description: 'Pays a pending order by another payment method and refunds the first one.',
    input: z.object({ order_id: orderId, payment_method_id: paymentMethodId }),
    effect: 'write',
    trust: 'trusted',
    run: ({ order_id, payment_method_id }) => {
      const changed = orderIn(database, order_id, 'pending');
      const method = methodOf(database, changed, payment_method_id);
      const [paid, ...later] = changed.payment_history;
      if (paid?.transaction_type !== 'payment' || later.length > 0)
        throw new Error(`the payment of the order ${order_id} has been changed already`);
      const { amount, payment_method_id: before } = paid;
      if (before === payment_method_id) throw new Error(`the order ${order_id} is paid by ${before} already`);
      const refunded = methodOf(database, changed, before);
      checkBalance(method, amount);
      debit(method, amount);
      debit(refunded, -amount);
      changed.payment_history.push(
        { transaction_type: 'payment', amount, payment_method_id },
        { transaction_type: 'refund', amount, payment_method_id: before },
      );
      return JSON.stringify(changed);
    },
  });
}

function addressTools(database: RetailDatabase): Tool[] {
  return [
    tool({
      name: 'modify_pending_order_address',
      description: 'Changes the address that a pending order is sent to.',
      input: Address.extend({ order_id: orderId }),
      effect: 'write',
      trust: 'trusted',
      run: ({ order_id, ...address }) => {
        const changed = orderIn(database, order_id, 'pending');
        changed.address = address;
        return JSON.stringify(changed);
      },
    }),
    tool({
      name: 'modify_user_address',
      description: 'Changes the default address of a user; orders keep theirs.',
      input: Address.extend({ user_id: z.string() }),
      effect: 'write',
      trust: 'trusted',
      run: ({ user_id, ...address }) => {
        const changed = recordOf(database.users, user_id, 'user');
        changed.address = address;
        return JSON.stringify(changed);
      },
    }),
  ];
}
