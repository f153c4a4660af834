import type { Json } from '../core/json.ts';
import { parseJson } from '../model/parse.ts';

/** What a text was read as; undefined when it was not. */
export function value(text: string): Json | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** The repairs it took to read a text; undefined when it was not read. */
export function repairs(text: string): string[] | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.repairs : undefined;
}

/** Why a text was not read. */
export function message(text: string): string {
  const parsed = parseJson(text);
  return parsed.ok ? `read as ${JSON.stringify(parsed.value)}` : parsed.message;
}
