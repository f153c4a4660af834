import type { Json } from '../../../core/json.ts';

/** An object of a pasted row. */
export type Fields = { readonly [key: string]: Json };

/** Where a row stands, for errors. */
export interface RowPlace {
  name: string;
  line: number;
  unit?: 'line' | 'item';
}

export function isFields(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of the named fields that is there and not null. */
export function firstOf(row: Fields, names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = row[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** The first of the named fields that holds text or a number, as text; blank text counts as absent. */
export function textOf(row: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = row[name];
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
