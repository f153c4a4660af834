/** Chats in the shape of OpenAI's API: assistant messages with `tool_calls`, results with the role `tool`. */
import type { Observation } from '../../../core/attempt.ts';
import type { Json } from '../../../core/json.ts';
import { type Fields, firstOf, isFields, textOf } from './fields.ts';
import { argumentsOf, pastedObservation } from './observations.ts';
import type { Traced } from './steps.ts';

/** A chat read. `asked`: what the user said, all of it. */
export interface ReadChat extends Traced {
  asked: string;
}

interface Call {
  tool: string;
  args: Json;
}

export function readMessages(messages: readonly Json[]): ReadChat {
  const chat = new Chat();
  for (const message of messages) if (isFields(message)) chat.read(message);
  return chat.result();
}

class Chat {
  readonly #byId = new Map<string, Call>();
  /** Calls without a result so far, oldest first. */
  readonly #open: Call[] = [];
  readonly #observations: Observation[] = [];
  readonly #asked: string[] = [];
  #answer: string | undefined;

  read(message: Fields): void {
    const text = contentOf(message);
    const { role } = message;
    if (role === 'user') this.#asked.push(text);
    else if (role === 'assistant') this.#said(message, text);
    else if (role === 'tool' || role === 'function') this.#returned(message, text);
  }

  result(): ReadChat {
    return { observations: this.#observations, answer: this.#answer, invalid: [], asked: this.#asked.join('\n') };
  }

  #said(message: Fields, text: string): void {
    for (const { id, call } of callsOf(message)) {
      if (id !== undefined) this.#byId.set(id, call);
      this.#open.push(call);
    }
    if (text.trim() !== '') this.#answer = text;
  }

  /** By the id of the call; without one, in order. */
  #returned(message: Fields, content: string): void {
    const call = this.#byId.get(textOf(message, ['tool_call_id']) ?? '') ?? this.#open[0];
    const place = call ? this.#open.indexOf(call) : -1;
    if (place >= 0) this.#open.splice(place, 1);
    const { tool, args } = call ?? { tool: textOf(message, ['name']) ?? 'tool', args: {} };
    this.#observations.push(pastedObservation(this.#observations.length + 1, { tool, args, content }));
  }
}

function contentOf(message: Fields): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isFields(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

function callsOf(message: Fields): { id: string | undefined; call: Call }[] {
  const { tool_calls: listed, function_call: single } = message;
  const calls = Array.isArray(listed) ? listed : single === undefined || single === null ? [] : [single];
  return calls.filter(isFields).map((call) => {
    const inner = isFields(call['function']) ? call['function'] : call;
    const tool = textOf(inner, ['name']) ?? 'tool';
    return {
      id: textOf(call, ['id']),
      call: { tool, args: argumentsOf(firstOf(inner, ['arguments', 'args', 'input'])) },
    };
  });
}
