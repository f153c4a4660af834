/** A JSON value. What crosses a journal, a file or a wire is one of these. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema object (draft 2020-12 or draft-7; the parts we read are the same in both). */
export type JsonSchema = { [key: string]: Json };

/** The text of a JSON value with object keys sorted, so that equal values have equal texts whatever their key order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    let members = '';
    for (const key of Object.keys(value).sort()) {
      const item: unknown = Reflect.get(value, key);
      if (item !== undefined) members += `${members && ','}${JSON.stringify(key)}:${canonicalJson(item)}`;
    }
    return `{${members}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
