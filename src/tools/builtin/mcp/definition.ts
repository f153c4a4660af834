import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson, type Json, type JsonSchema } from '../../../core/json.ts';
import { modelText, visibleLine } from './texts.ts';

/** A tool as its server describes it. Every word is the server's claim. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations: JsonSchema;
}

export type ReadDefinition = { ok: true; definition: ToolDefinition } | { ok: false; name: string; reason: string };

/** Of a whole definition as JSON. */
const largest = 128 * 1024;
const deepest = 64;

/** A JSON object as it was parsed: zod's own records lose a member called `__proto__`, and a change of it with it. */
export const jsonObject: z.ZodType<JsonSchema> = z.custom<JsonSchema>(isObject, 'must be an object');

const described = z.object({
  name: z.string().min(1).max(128),
  title: z.string().optional(),
  description: z.string().default(''),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  annotations: jsonObject.default({}),
  execution: z.object({ taskSupport: z.string().optional() }).optional(),
});

/** One entry of a server's list, or why it cannot be a tool. Never throws. */
export function readDefinition(entry: unknown): ReadDefinition {
  const name = nameOf(entry);
  if (isDeeper(entry, deepest)) return { ok: false, name, reason: `it is nested more than ${deepest} levels deep` };
  const size = JSON.stringify(entry).length;
  if (size > largest)
    return { ok: false, name, reason: `its description and schemas have ${size} characters, the limit is ${largest}` };
  const parsed = described.safeParse(entry);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { ok: false, name, reason: `its ${issue?.path.join('.') || 'entry'} is not valid: ${issue?.message}` };
  }
  const { execution, title, outputSchema, ...rest } = parsed.data;
  if (execution?.taskSupport === 'required')
    return { ok: false, name, reason: 'it can only be called as an MCP task, which this client does not do' };
  return {
    ok: true,
    definition: { ...rest, ...(title !== undefined && { title }), ...(outputSchema && { outputSchema }) },
  };
}

function nameOf(entry: unknown): string {
  const name: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'name') : undefined;
  return typeof name === 'string' ? name : '(no name)';
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** The same for the same words, types and hints, whatever the order of keys. */
export function fingerprintOf(definition: ToolDefinition): string {
  return `sha256:${createHash('sha256').update(canonicalJson(definition)).digest('hex')}`;
}

/** One place where two definitions differ; without `before` it is new, without `after` it is gone. */
export interface Difference {
  path: string;
  before?: string;
  after?: string;
}

/** Where the two definitions differ, down to the member of a schema. */
export function differences(before: ToolDefinition, after: ToolDefinition): Difference[] {
  return compare('', before, after);
}

function compare(path: string, before: unknown, after: unknown): Difference[] {
  if (before === undefined) return [{ path, after: canonicalJson(after) }];
  if (after === undefined) return [{ path, before: canonicalJson(before) }];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => compare(path === '' ? key : `${path}.${key}`, own(before, key), own(after, key)));
  }
  const [old, now] = [canonicalJson(before), canonicalJson(after)];
  return old === now ? [] : [{ path, before: old, after: now }];
}

function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

const shownLines = 40;

/** The differences for a person: two lines for a change, one for what is new or gone. */
export function differenceLines(found: readonly Difference[]): string[] {
  const lines = found.flatMap(({ path, before, after }) => [
    ...(before === undefined ? [] : [`- ${visibleLine(path, 120)}: ${visibleLine(before, 1_000)}`]),
    ...(after === undefined ? [] : [`+ ${visibleLine(path, 120)}: ${visibleLine(after, 1_000)}`]),
  ]);
  const rest = lines.length - shownLines;
  return rest > 0 ? [...lines.slice(0, shownLines), `  and ${rest} lines more`] : lines;
}

/** Where they differ in a few words, for a model: it gets the places, not the new texts. */
export function differencePlaces(found: readonly Difference[]): string {
  const places = found.slice(0, 8).map(({ path, before, after }) => {
    const what = before === undefined ? 'new' : after === undefined ? 'gone' : 'changed';
    return `${modelText(path, 80)} (${what})`;
  });
  return found.length > 8 ? `${places.join(', ')} and ${found.length - 8} more` : places.join(', ');
}
