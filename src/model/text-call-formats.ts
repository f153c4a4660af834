import type { Json } from '../core/json.ts';
import { type Reading, readValue } from './repair.ts';

/** A tool call found in text. `input` is JSON text as the model wrote it, to be validated like any other. */
export interface TextCall {
  tool: string;
  input: string;
  format: string;
}

/** What a format finds at or after an index: calls, something that was meant to be one, or nothing. */
export type Found = { start: number; end: number; calls: TextCall[] } | { start: number; why: string } | undefined;

/** One way in which servers leave calls in the content. */
export interface CallFormat {
  /** Made of tokens that nobody types, so that they are a leak wherever they stand. */
  special: boolean;
  next(text: string, from: number): Found;
  /** What may stand beside its calls apart from white space and control tokens. */
  allows?(outside: string): boolean;
}

type Read<T> = { ok: true; end: number; value: T } | { ok: false; why: string };

/** The name without the namespace and the counter that some templates put around it. */
export function bareName(name: string): string {
  return name.replace(/^functions\./, '').replace(/:\d+$/, '');
}

/** The index after the longest match of a sticky expression at `at`. */
export function skip(text: string, at: number, sticky: RegExp): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

/** The JSON object at `at`, as text, out of a code fence if it is in one. */
export function readInput(text: string, at: number): Read<string> {
  const start = skip(text, at, /\s*(?:```\w*\s*)?/y);
  if (text[start] !== '{') return { ok: false, why: 'the call has no JSON arguments' };
  const reading = readValue(text, start);
  if (!reading.ok) return { ok: false, why: `the call's input ${unreadable(reading)}` };
  const end = start === at ? reading.end : skip(text, reading.end, /\s*```/y);
  return { ok: true, end, value: text.slice(start, reading.end) };
}

function unreadable(reading: Extract<Reading, { ok: false }>): string {
  return reading.cut ? `ends in the middle of ${reading.cut}` : `cannot be read: ${reading.message}`;
}

/** The call that the JSON object at `at` describes: `{"name":…,"arguments":…}` or `{"function":{…}}`. */
function readCallObject(text: string, at: number, format: string): Read<TextCall> {
  const reading = readValue(text, at);
  if (!reading.ok) return { ok: false, why: `the call ${unreadable(reading)}` };
  const object = reading.value;
  if (!isObject(object)) return { ok: false, why: 'the call is not a JSON object' };
  const wrapped = reading.members.get('function');
  if (wrapped && isObject(object['function'])) {
    const inner = readCallObject(text, wrapped[0], format);
    return inner.ok ? { ...inner, end: reading.end } : inner;
  }
  const tool = object['name'];
  if (typeof tool !== 'string' || tool.trim() === '') return { ok: false, why: 'the call names no tool' };
  const key = ['arguments', 'parameters', 'args', 'input'].find((known) => reading.members.has(known)) ?? '';
  const span = reading.members.get(key);
  const given = object[key];
  const input = typeof given === 'string' ? given : span ? text.slice(...span) : '{}';
  return { ok: true, end: reading.end, value: { tool: bareName(tool), input, format } };
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads call objects as long as one begins after optional white space and the separator. */
function readCallObjects(text: string, at: number, format: string, separator: RegExp): Read<TextCall[]> {
  const calls: TextCall[] = [];
  let end = at;
  for (let start = skip(text, at, /\s*/y); text[start] === '{'; start = skip(text, end, separator)) {
    const call = readCallObject(text, start, format);
    if (!call.ok) return call;
    calls.push(call.value);
    end = call.end;
  }
  return { ok: true, end, value: calls };
}

function foundAt<T>(start: number, read: Read<T>, calls: (value: T) => TextCall[]): Exclude<Found, undefined> {
  return read.ok ? { start, end: read.end, calls: calls(read.value) } : { start, why: read.why };
}

/** Hermes and Qwen: `<tool_call>{"name":…,"arguments":…}</tool_call>`. */
export const tagged: CallFormat = {
  special: false,
  next(text, from) {
    const tag = '<tool_call>';
    for (let start = text.indexOf(tag, from); start >= 0; start = text.indexOf(tag, start + 1)) {
      const at = skip(text, start + tag.length, /\s*(?:```\w*\s*)?/y);
      if (text[at] !== '{') continue;
      const read = readCallObjects(text, at, 'tagged', /\s*/y);
      const fenced = read.ok ? { ...read, end: skip(text, read.end, /\s*```/y) } : read;
      return foundAt(start, fenced, (calls) => calls);
    }
    return undefined;
  },
};

/** Mistral: `[TOOL_CALLS][{"name":…,"arguments":…}]`, and `[TOOL_CALLS]name[ARGS]{…}` of its later templates. */
export const brackets: CallFormat = {
  special: false,
  next(text, from) {
    const marker = '[TOOL_CALLS]';
    for (let start = text.indexOf(marker, from); start >= 0; start = text.indexOf(marker, start + 1)) {
      const at = skip(text, start + marker.length, /\s*/y);
      if (text[at] === '[') return bracketList(text, start, at);
      const header = /([\w.-]+)\s*(?:\[CALL_ID\][\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)/y;
      header.lastIndex = at;
      const tool = header.exec(text)?.[1];
      if (tool === undefined) continue;
      return foundAt(start, readInput(text, header.lastIndex), (input) => [
        { tool: bareName(tool), input, format: 'brackets' },
      ]);
    }
    return undefined;
  },
};

function bracketList(text: string, start: number, at: number): Found {
  const read = readCallObjects(text, at + 1, 'brackets', /\s*,\s*/y);
  if (!read.ok) return { start, why: read.why };
  const end = skip(text, read.end, /\s*\]/y);
  if (end === read.end || read.value.length === 0) return { start, why: 'the list of calls is not complete' };
  return { start, end, calls: read.value };
}

/** DeepSeek (full-width bars) and Kimi: `<|tool_call_begin|>name<|tool_call_argument_begin|>{…}<|tool_call_end|>`. */
export const bars: CallFormat = {
  special: true,
  next(text, from) {
    const begin = /<[|｜]tool[▁_]call[▁_]begin[|｜]>/g;
    begin.lastIndex = from;
    for (let found = begin.exec(text); found; found = begin.exec(text)) {
      const header = text.slice(begin.lastIndex, begin.lastIndex + 300);
      const separator = /<[|｜]tool[▁_](?:sep|call[▁_]argument[▁_]begin)[|｜]>/.exec(header);
      if (separator) return barCall(text, found.index, begin.lastIndex, separator);
      if (/^[\w.:-]*$/.test(header.trim())) return { start: found.index, why: 'the call is not complete' };
    }
    return undefined;
  },
};

function barCall(text: string, start: number, from: number, separator: RegExpExecArray): Found {
  let tool = separator.input.slice(0, separator.index).trim();
  let at = from + separator.index + separator[0].length;
  if (tool === 'function') {
    // The older DeepSeek template puts the type in front of the separator and the name after it.
    const name = /\s*([\w.:-]+)/y;
    name.lastIndex = at;
    tool = name.exec(text)?.[1] ?? '';
    at = name.lastIndex;
  }
  if (!/^[\w.:-]+$/.test(tool)) return { start, why: 'the call names no tool' };
  return foundAt(start, readInput(text, at), (input) => [{ tool: bareName(tool), input, format: 'bars' }]);
}
