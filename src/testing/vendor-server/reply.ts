import type { Json, JsonSchema } from '../../core/json.ts';

/** Whose wire format a request came in. */
export type VendorName = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google';

/** A tool call as the model would make it. Without an id it gets one that is unique on this server. */
export interface VendorCall {
  id?: string;
  name: string;
  args: Json;
}

/** What the model behind the server says. */
export type VendorAnswer =
  | { type: 'text'; text: string }
  /** `blankDeltaIds`: in a chat stream, later deltas carry `""` for id and name, as some servers send them. */
  | { type: 'tool-calls'; calls: VendorCall[]; text?: string; blankDeltaIds?: boolean }
  | { type: 'refusal'; text: string }
  | { type: 'content-filter' };

/** How the server answers one request. */
export type VendorReply =
  | VendorAnswer
  | { type: 'http-error'; status: number; headers?: Record<string, string>; message?: string }
  /** An error event inside a stream that began with 200, after `text` if given; a plain request gets HTTP 503. */
  | { type: 'stream-error'; text?: string; message?: string }
  /** The answer ends after `text`, without a finish frame: cleanly, or with the connection reset. */
  | { type: 'cut'; text: string; reset?: boolean };

/** An answer with every id known. */
export type Answer =
  | Exclude<VendorAnswer, { type: 'tool-calls' }>
  | (Omit<Extract<VendorAnswer, { type: 'tool-calls' }>, 'calls'> & { calls: Required<VendorCall>[] });

/** The frames of a stream: what the model says, and what tells that it has ended. */
export interface Frames {
  content: string[];
  end: string[];
}

/** One wire format: what it refuses, and how it writes answers. */
export interface VendorProtocol {
  name: VendorName;
  /** Why the vendor would answer this request with HTTP 400, or undefined. */
  refuse(body: JsonSchema): string | undefined;
  whole(answer: Answer, model: string): object;
  frames(answer: Answer, model: string): Frames;
  error(status: number, message: string): object;
  errorFrame(message: string): string;
}

/** Token counts of every answer: fixed, so that tests can name them. */
export const usage = { input: 20, cached: 5, output: 7 } as const;

/** One frame of server-sent events. */
export function frame(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ''}data: ${text}\n\n`;
}

/** The text in pieces, as a model streams it. */
export function pieces(text: string): string[] {
  return text.match(/.{1,5}/gs) ?? [''];
}
