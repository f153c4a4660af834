/** What changes of pending and of delivered orders have in common. */
import { recordOf } from './desk.ts';
import type { Item, Order, Product, RetailDatabase, ShopPaymentMethod } from './retail-database.ts';

/** The order, which has to be in this state. */
export function orderIn({ orders }: RetailDatabase, id: string, status: string): Order {
  const found = recordOf(orders, id, 'order');
  if (found.status !== status)
    throw new Error(`the order ${id} is ${found.status}, and only a ${status} one can be changed so`);
  return found;
}

/** A payment method of the user who placed the order. */
export function methodOf({ users }: RetailDatabase, order: Order, id: string): ShopPaymentMethod {
  return recordOf(recordOf(users, order.user_id, 'user').payment_methods, id, 'payment method');
}

/** Throws where a gift card has less than the amount left. */
export function checkBalance({ source, balance = 0, id }: ShopPaymentMethod, amount: number): void {
  if (source === 'gift_card' && balance < amount) throw new Error(`${id} has $${balance} left, not $${amount}`);
}

/** Takes the amount off a gift card, or gives it back where it is negative. Other methods have no balance. */
export function debit(method: ShopPaymentMethod, amount: number): void {
  if (method.source === 'gift_card') method.balance = toCents((method.balance ?? 0) - amount);
}

export function toCents(usd: number): number {
  return Number(usd.toFixed(2));
}

/** Throws where the order does not hold the items as often as they are listed. */
export function checkItems(order: Order, itemIds: readonly string[]): void {
  const held = order.items.map(({ item_id }) => item_id);
  for (const id of itemIds) {
    if (times(id, itemIds) > times(id, held)) throw new Error(`the order ${order.order_id} has no such item ${id}`);
  }
}

function times(id: string, ids: readonly string[]): number {
  return ids.filter((one) => one === id).length;
}

/** The item of the order, and the variant of its product. */
export function exchangeOf(
  { products }: RetailDatabase,
  order: Order,
  { itemId, newItemId }: Swap,
): { item: Item; variant: Product['variants'][string] } {
  const item = order.items.find(({ item_id }) => item_id === itemId);
  if (!item) throw new Error(`the order ${order.order_id} has no item ${itemId}`);
  const variant = recordOf(
    recordOf(products, item.product_id, 'product').variants,
    newItemId,
    'variant of this product',
  );
  return { item, variant };
}

export interface Swap {
  itemId: string;
  newItemId: string;
}

/** Old and new items in pairs. Throws where they are not as many. */
export function swapsOf(order: Order, itemIds: readonly string[], newItemIds: readonly string[]): Swap[] {
  checkItems(order, itemIds);
  if (itemIds.length !== newItemIds.length)
    throw new Error(`${itemIds.length} items cannot be exchanged for ${newItemIds.length}`);
  return itemIds.flatMap((itemId, index) => {
    const newItemId = newItemIds[index];
    return newItemId === undefined ? [] : [{ itemId, newItemId }];
  });
}

/** What the new items cost more than the old ones, not rounded. Throws for a new item that is not there or not available. */
export function priceDifference(database: RetailDatabase, order: Order, swaps: readonly Swap[]): number {
  return swaps.reduce((sum, swap) => {
    const { item, variant } = exchangeOf(database, order, swap);
    if (!variant.available) throw new Error(`the item ${swap.newItemId} is not available`);
    return sum + (variant.price - item.price);
  }, 0);
}
