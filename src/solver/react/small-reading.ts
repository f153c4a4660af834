/** What of a small model's reply stays in its conversation: short, and in the form that it is asked for. */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Json } from '../../core/json.ts';
import { excerpt } from '../../tools/excerpt.ts';
import { finalName } from './control.ts';
import type { RawCall } from './guards.ts';
import { historyInput } from './history-input.ts';
import type { Protocol } from './protocol.ts';
import type { Reading } from './read-reply.ts';

/** Characters of a reply that could not be used: enough to see what it was. */
const unusableCharacters = 200;

/**
 * The reading with its message as it stays. A model that repeats itself until it is cut must not fill its context with that, and prose around
 * an action, or calls in another form, would be taken for the way to write one. Where actions are text, the first one is all that was said.
 */
export function shortened(reading: Reading, { textual }: Pick<Protocol, 'textual'>): Reading {
  if (reading.type === 'invalid') return { ...reading, said: text(unusableText(reading.said)) };
  if (reading.type !== 'calls' || !textual) return reading;
  const [first] = reading.calls;
  if (!first) return reading;
  const dropped = reading.calls.length > 1 ? ['first-of-several'] : [];
  return { ...reading, calls: [first], said: text(actionText(first)), repairs: [...reading.repairs, ...dropped] };
}

/** An action without the members that are null: a vendor's strict dialect has one object for all actions, in which each is nullable. */
export function withoutNulls(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function unusableText(said: LanguageModelV4Message): string {
  const parts = Array.isArray(said.content) ? said.content : [];
  const whole = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const { text: start, to, total } = excerpt(whole.trim(), { max: unusableCharacters });
  return `${start}${to < total ? '…' : ''}`;
}

function actionText({ tool, input }: RawCall): string {
  const args = historyInput(input);
  return JSON.stringify(tool === finalName ? { type: finalName, ...Object(args) } : { type: 'tool', tool, args });
}

function text(said: string): LanguageModelV4Message {
  return { role: 'assistant', content: [{ type: 'text', text: said === '' ? '(no usable reply)' : said }] };
}
