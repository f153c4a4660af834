import type { Json, JsonSchema } from '../../core/json.ts';

/** Whose wire format a request came in: the first segment of its path, where it names a vendor. */
export type VendorName =
  | 'openai'
  | 'azure'
  | 'xai'
  | 'anthropic'
  | 'google'
  | 'bedrock'
  | 'mistral'
  | 'groq'
  | 'deepseek'
  | 'alibaba'
  | 'moonshotai'
  | 'zhipu'
  | 'openrouter'
  | 'ollama'
  | 'lmstudio'
  | 'llamacpp'
  | 'vllm'
  | 'compatible';

/** A tool call as the model would make it. Without an id it gets one that is unique on this server. */
export interface VendorCall {
  id?: string;
  name: string;
  args: Json;
  /** The arguments as text, in place of `args`: what a model wrote that is no JSON, or was cut. */
  rawArgs?: string;
}

/** What goes with any answer. */
interface Extras {
  /** What the model thought, in the vendor's way of saying it. */
  reasoning?: string;
  /** The answer reached its limit. */
  cutOff?: true;
  /** The server does not say what it cost. */
  noUsage?: true;
  /** A stream breaks off behind the frame that tells the end, in the middle of the next. */
  tornEnd?: true;
}

/** What the model behind the server says. */
export type VendorAnswer =
  | ({ type: 'text'; text: string } & Extras)
  /** `blankDeltaIds`: in a chat stream, later deltas carry `""` for id and name, as some servers send them. */
  | ({ type: 'tool-calls'; calls: VendorCall[]; text?: string; blankDeltaIds?: boolean } & Extras)
  | { type: 'refusal'; text: string }
  | { type: 'content-filter' };

/** How the server answers one request. */
export type VendorReply =
  | VendorAnswer
  | { type: 'http-error'; status: number; headers?: Record<string, string>; message?: string }
  /** What the vendor says to a prompt that is too long for its model. */
  | { type: 'too-long' }
  /** An error event inside a stream that began with 200, after `text` if given; a plain request gets HTTP 503. */
  | { type: 'stream-error'; text?: string; message?: string }
  /** The answer ends after `text`, without a finish frame: cleanly, or with the connection reset. */
  | { type: 'cut'; text: string; reset?: boolean }
  /** Nothing comes for so long, or until the client goes. */
  | { type: 'silence'; ms: number };

/** An answer with every id known. */
export type Answer =
  | Exclude<VendorAnswer, { type: 'tool-calls' }>
  | (Omit<Extract<VendorAnswer, { type: 'tool-calls' }>, 'calls'> & { calls: KnownCall[] });

export type KnownCall = VendorCall & { id: string };

/** The arguments of a call as text. */
export function argsText({ args, rawArgs }: VendorCall): string {
  return rawArgs ?? JSON.stringify(args);
}

/** What goes with an answer; nothing goes with a refusal. */
export function extrasOf(answer: Answer): Extras {
  return answer.type === 'text' || answer.type === 'tool-calls' ? answer : {};
}

/** The frames of a stream: what the model says, and what tells that it has ended. */
export interface Frames {
  content: (string | Uint8Array)[];
  end: (string | Uint8Array)[];
}

/** An error as a vendor words it. */
export interface VendorError {
  status: number;
  body: object;
}

/** One wire format: what it refuses, and how it writes answers. */
export interface VendorProtocol {
  /** Why the vendor would answer this request with HTTP 400, or undefined. */
  refuse(body: JsonSchema, request: { path: string; query: URLSearchParams; key: string }): string | undefined;
  whole(answer: Answer, model: string): object;
  frames(answer: Answer, model: string): Frames;
  error(status: number, message: string): object;
  errorFrame(message: string): string | Uint8Array;
  tooLong(): VendorError;
  /** Default: server-sent events. */
  streamType?: string;
}

/** Token counts of every answer: fixed, so that tests can name them. `output` holds `reasoning`, and `input` `cached`. */
export const usage = { input: 20, cached: 5, output: 7, reasoning: 3 } as const;

/** One frame of server-sent events. */
export function frame(data: object | string, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ''}data: ${text}\n\n`;
}

/** The text in pieces, as a model streams it. */
export function pieces(text: string): string[] {
  return text.match(/.{1,5}/gs) ?? [''];
}
