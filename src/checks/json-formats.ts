import * as z from 'zod';
import { UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';

const formats: ReadonlyMap<Json, z.ZodType> = new Map<Json, z.ZodType>([
  ['date', z.iso.date()],
  ['time', z.iso.time()],
  ['date-time', z.iso.datetime({ offset: true })],
  ['email', z.email()],
  ['uri', z.url()],
  ['uuid', z.guid()],
]);

/** False when the text is not of this format; a format without a meaning here is an annotation. */
export function fitsFormat(text: string, format: Json): boolean {
  return formats.get(format)?.safeParse(text).success ?? true;
}

/** The regular expression of a `pattern`. Throws `UsageError` when it is none. */
export function expression(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    throw new UsageError(`the output schema has the pattern ${source}, which is no regular expression: mend it`);
  }
}
