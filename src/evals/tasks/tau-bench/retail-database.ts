import * as z from 'zod';

export interface Address {
  address1: string;
  address2: string;
  city: string;
  state: string;
  country: string;
  zip: string;
}

export interface ShopPaymentMethod {
  source: string;
  /** What is left on a gift card, in USD. */
  balance?: number | undefined;
  id: string;
}

export interface Customer {
  name: { first_name: string; last_name: string };
  address: Address;
  email: string;
  payment_methods: Record<string, ShopPaymentMethod>;
}

export interface Item {
  product_id: string;
  item_id: string;
  price: number;
  options: Record<string, string>;
}

export interface ShopPayment {
  transaction_type: string;
  amount: number;
  payment_method_id: string;
}

export interface Order {
  order_id: string;
  user_id: string;
  address: Address;
  items: Item[];
  payment_history: ShopPayment[];
  status: string;
  cancel_reason?: string | undefined;
  exchange_items?: string[] | undefined;
  exchange_new_items?: string[] | undefined;
  exchange_payment_method_id?: string | undefined;
  exchange_price_difference?: number | undefined;
  return_items?: string[] | undefined;
  return_payment_method_id?: string | undefined;
}

/** A kind of product and its variants by item id. */
export interface Product {
  name: string;
  product_id: string;
  variants: Record<string, { item_id: string; options: Record<string, string>; available: boolean; price: number }>;
}

export type RetailDatabase = {
  users: Record<string, Customer>;
  orders: Record<string, Order>;
  products: Record<string, Product>;
};

const options = z.record(z.string(), z.string());

export const Address: z.ZodObject<Record<keyof Address, z.ZodString>> = z.object({
  address1: z.string(),
  address2: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  zip: z.string(),
});

const customer = z.looseObject({
  name: z.looseObject({ first_name: z.string(), last_name: z.string() }),
  address: Address,
  email: z.string(),
  payment_methods: z.record(
    z.string(),
    z.looseObject({ source: z.string(), balance: z.number().optional(), id: z.string() }),
  ),
});

const order = z.looseObject({
  order_id: z.string(),
  user_id: z.string(),
  address: Address,
  items: z.array(z.looseObject({ product_id: z.string(), item_id: z.string(), price: z.number(), options })),
  payment_history: z
    .array(z.looseObject({ transaction_type: z.string(), amount: z.number(), payment_method_id: z.string() }))
    .min(1),
  status: z.string(),
});

const product = z.looseObject({
  name: z.string(),
  product_id: z.string(),
  variants: z.record(
    z.string(),
    z.looseObject({ item_id: z.string(), options, available: z.boolean(), price: z.number() }),
  ),
});

/** The later fields of an order are not checked: only the tools write them. */
export const RetailDatabase: z.ZodType<RetailDatabase> = z.object({
  users: z.record(z.string(), customer),
  orders: z.record(z.string(), order),
  products: z.record(z.string(), product),
});
