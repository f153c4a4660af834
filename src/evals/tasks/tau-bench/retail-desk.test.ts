import { describe, expect, it } from 'vitest';
import { changesOf, type RecordedCall, replay } from './desk.ts';
import { Address, RetailDatabase } from './retail-database.ts';
import { retailDesk } from './retail-desk.ts';

const address = { address1: '1 Elm', address2: '', city: 'Ely', state: 'X', country: 'Y', zip: '100' };

function order(order_id: string, status: string, payment_method_id: string) {
  const mug = { product_id: 'mugs', item_id: 'm1', price: 10.1, options: { colour: 'red' } };
  const pen = { product_id: 'pens', item_id: 'p1', price: 3.2, options: {} };
  const payment = { transaction_type: 'payment', amount: 23.4, payment_method_id };
  return { order_id, user_id: 'bo', address, status, items: [mug, mug, pen], payment_history: [payment] };
}

const variant = (item_id: string, price: number, available = true) => ({
  item_id,
  price,
  available,
  options: { colour: item_id },
});

const database = RetailDatabase.parse({
  users: {
    bo: {
      name: { first_name: 'Bo', last_name: 'Li' },
      address,
      email: 'Bo.Li@Example.com',
      payment_methods: {
        card: { source: 'credit_card', id: 'card' },
        gift: { source: 'gift_card', balance: 1.5, id: 'gift' },
        rich: { source: 'gift_card', balance: 99.9, id: 'rich' },
      },
    },
  },
  orders: {
    '#P': order('#P', 'pending', 'gift'),
    '#D': order('#D', 'delivered', 'card'),
  },
  products: {
    mugs: {
      name: 'Mug',
      product_id: 'mugs',
      variants: { m1: variant('m1', 10.1), m2: variant('m2', 12.3), m3: variant('m3', 1, false), m4: variant('m4', 9) },
    },
    pens: { name: 'Pen', product_id: 'pens', variants: { p1: variant('p1', 3.2), p2: variant('p2', 1.1) } },
  },
});

async function outcomeOf(...calls: [name: string, args: RecordedCall['args']][]) {
  const desk = retailDesk(structuredClone(database));
  const replayed = await replay(
    desk.tools,
    calls.map(([name, args]) => ({ name, args })),
  );
  const last = replayed.at(-1) ?? {};
  const tables = desk.tables as typeof database;
  const changes = changesOf(database, desk.tables);
  return { tables, changes, last, error: 'error' in last ? last.error : undefined };
}

const swap = (order_id: string, from: string[], to: string[], payment_method_id = 'card') => ({
  order_id,
  item_ids: from,
  new_item_ids: to,
  payment_method_id,
});

describe('pending orders', () => {
  it('are cancelled with refunds, at once to a gift card', async () => {
    const { tables } = await outcomeOf(['cancel_pending_order', { order_id: '#P', reason: 'no longer needed' }]);
    expect(tables.users['bo']?.payment_methods['gift']?.balance).toBe(24.9);
    expect(tables.orders['#P']).toMatchObject({ status: 'cancelled', cancel_reason: 'no longer needed' });
    expect(tables.orders['#P']?.payment_history.at(-1)).toMatchObject({ transaction_type: 'refund', amount: 23.4 });
  });

  it('exchange both of two equal items for different ones, once', async () => {
    const { tables, error } = await outcomeOf(
      ['modify_pending_order_items', swap('#P', ['m1', 'm1'], ['m2', 'm4'])],
      ['modify_pending_order_items', swap('#P', ['p1'], ['p2'])],
    );
    expect(tables.orders['#P']?.items.map(({ item_id, price }) => [item_id, price])).toEqual([
      ['m2', 12.3],
      ['m4', 9],
      ['p1', 3.2],
    ]);
    expect(error).toContain('pending (item modified)');
  });

  it('refuse what a gift card cannot pay, and change nothing', async () => {
    const { changes, error } = await outcomeOf(['modify_pending_order_items', swap('#P', ['m1'], ['m2'], 'gift')]);
    expect(error).toContain('gift has $1.5 left');
    expect(changes).toEqual({});
  });

  it('move a payment from one gift card to another', async () => {
    const { tables, error } = await outcomeOf(
      ['modify_pending_order_payment', { order_id: '#P', payment_method_id: 'rich' }],
      ['modify_pending_order_payment', { order_id: '#P', payment_method_id: 'card' }],
    );
    expect(tables.users['bo']?.payment_methods['rich']?.balance).toBe(76.5);
    expect(tables.users['bo']?.payment_methods['gift']?.balance).toBe(24.9);
    expect(error).toContain('changed already');
  });

  it('get an address of their own', async () => {
    const moved = { ...Address.parse(address), city: 'Ayr' };
    const { changes } = await outcomeOf(['modify_pending_order_address', { order_id: '#P', ...moved }]);
    expect(changes).toEqual({ 'orders/#P': { ...database.orders['#P'], address: moved } });
  });
});

describe('delivered orders', () => {
  it('note an exchange with its difference in cents', async () => {
    const { tables } = await outcomeOf(['exchange_delivered_order_items', swap('#D', ['p1', 'm1'], ['p2', 'm2'])]);
    expect(tables.orders['#D']).toMatchObject({
      status: 'exchange requested',
      exchange_items: ['m1', 'p1'],
      exchange_new_items: ['m2', 'p2'],
      exchange_price_difference: 0.1,
    });
  });

  it.each([
    ['an item more often than it is there', swap('#D', ['p1', 'p1'], ['p2', 'p2']), 'no such item p1'],
    ['a variant of another product', swap('#D', ['p1'], ['m2']), "'m2'"],
    ['what is not available', swap('#D', ['m1'], ['m3']), 'not available'],
    ['lists of different lengths', swap('#D', ['m1'], ['m2', 'm2']), '1 items cannot be exchanged for 2'],
    ['an order that is not delivered', swap('#P', ['m1'], ['m2']), 'is pending'],
  ])('refuse an exchange of %s', async (_name, args, why) => {
    const { changes, error } = await outcomeOf(['exchange_delivered_order_items', args]);
    expect(error).toContain(why);
    expect(changes).toEqual({});
  });

  it('are returned to a gift card or to what paid for them only', async () => {
    const back = (payment_method_id: string) => ({ order_id: '#D', item_ids: ['p1', 'm1'], payment_method_id });
    expect((await outcomeOf(['return_delivered_order_items', back('gift')])).tables.orders['#D']?.return_items).toEqual(
      ['m1', 'p1'],
    );
    expect((await outcomeOf(['return_delivered_order_items', back('card')])).error).toBeUndefined();
    const other = structuredClone(database);
    Object.assign(other.users['bo']!.payment_methods, { other: { source: 'paypal', id: 'other' } });
    const refused = await replay(retailDesk(other).tools, [
      { name: 'return_delivered_order_items', args: back('other') },
    ]);
    expect(refused).toMatchObject([{ error: expect.stringContaining('not to other') }]);
  });
});

describe('look-ups', () => {
  it('find a user whatever the case of the letters', async () => {
    const { last } = await outcomeOf(['find_user_id_by_email', { email: 'bo.li@example.COM' }]);
    expect(last).toMatchObject({ result: 'bo' });
    const named = await outcomeOf(['find_user_id_by_name_zip', { first_name: 'BO', last_name: 'li', zip: '100' }]);
    expect(named.last).toMatchObject({ result: 'bo' });
    const elsewhere = await outcomeOf(['find_user_id_by_name_zip', { first_name: 'Bo', last_name: 'Li', zip: '101' }]);
    expect(elsewhere.error).toContain('no such user');
  });
});
