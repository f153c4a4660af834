import * as z from 'zod';
import { UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';

/** Made at the first use: few runs need one, and they take longer to make than the rest of this folder. */
const makers: ReadonlyMap<Json, () => z.ZodType> = new Map<Json, () => z.ZodType>([
  ['date', () => z.iso.date()],
  ['time', () => z.iso.time()],
  ['date-time', () => z.iso.datetime({ offset: true })],
  ['email', () => z.email()],
  ['uri', () => z.url()],
  ['uuid', () => z.guid()],
]);
const made = new Map<Json, z.ZodType>();

/** False when the text is not of this format; a format without a meaning here is an annotation. */
export function fitsFormat(text: string, format: Json): boolean {
  const schema = made.get(format) ?? makers.get(format)?.();
  if (!schema) return true;
  made.set(format, schema);
  return schema.safeParse(text).success;
}

/** The regular expression of a `pattern`. Throws `UsageError` when it is none. */
export function expression(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    throw new UsageError(`the schema has the pattern ${source}, which is no regular expression: mend it`);
  }
}
