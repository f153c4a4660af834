/**
 * The fetch that the SDK's HTTP transport is given.
 *
 * 1. No answer, error text or event is kept beyond a size.
 * 2. A call whose stream ended without its answer is told so, unless the server gave a place to resume at; then the SDK asks
 *    for the rest, and a failure of that ends the call.
 * 3. A call that is given up ends its stream, and is not resumed.
 * 4. The server's wish when to reconnect is not followed, and bare NaN in its JSON becomes text.
 */
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../../core/errors.ts';
import { LineReader, withoutBareNumbers } from './json-lines.ts';
import { cancelledRequest, maxMessageBytes } from './server-transport.ts';

const maxErrorBytes = 16 * 1024;
const keptPlaces = 256;
/** Between the end of a stream and the verdict on its call: what came last is still on its way to the SDK. */
const settleMs = 100;

/** `onLost` hears of every call whose answer will not come, and of some that were answered. */
export function guardedFetch(onLost: (id: RequestId, why: string) => void): FetchLike {
  const calls = new Calls(onLost);
  return async (url, init = {}) => {
    const call = calls.begin(init);
    let response: Response;
    try {
      // What was meant for one host goes to no other.
      response = await fetch(url, { ...init, signal: call.signal, redirect: 'manual' });
    } catch (error) {
      const why = `the server cannot be reached: ${reasonOf(error)}`;
      call.end(undefined, why);
      throw new Error(why);
    }
    const { status, headers, body } = response;
    if (response.ok && body && isEventStream(response)) {
      const events = ReadableStream.from(guardedEvents(body, (place, why) => call.end(place, why)));
      // One class under two names: that of node:stream/web and that of the global scope.
      return new Response(events as unknown as ReadableStream<Uint8Array<ArrayBuffer>>, {
        status,
        headers: decoded(headers),
      });
    }
    // The SDK sends it again to where it leads, or gives the call up.
    if (!body || (status >= 300 && status < 400)) return response;
    try {
      return await boundedText(response);
    } finally {
      call.end(undefined, `the server answered with HTTP ${status} and no result`);
    }
  };
}

interface Call {
  signal: AbortSignal;
  /** Its stream is over; `place` is where it can be resumed. */
  end(place: string | undefined, why: string): void;
}

class Calls {
  readonly #onLost: (id: RequestId, why: string) => void;
  readonly #open = new Map<RequestId, AbortController>();
  /** The places of broken streams with the calls they belong to; undefined for those that were given up. */
  readonly #places = new Map<string, RequestId | undefined>();

  constructor(onLost: (id: RequestId, why: string) => void) {
    this.#onLost = onLost;
  }

  begin(init: RequestInit): Call {
    const message = sentMessage(init);
    const cancelled = message && cancelledRequest(message);
    if (cancelled !== undefined) this.#giveUp(cancelled);
    const place = new Headers(init.headers).get('last-event-id') ?? undefined;
    if (place !== undefined && this.#places.has(place) && this.#places.get(place) === undefined) {
      throw new Error('the call that this stream belongs to was given up');
    }
    const resumed = place === undefined ? undefined : this.#places.get(place);
    const id = message && 'method' in message && 'id' in message ? message.id : resumed;
    const controller = new AbortController();
    if (id !== undefined) this.#open.set(id, controller);
    return {
      signal: init.signal ? AbortSignal.any([init.signal, controller.signal]) : controller.signal,
      end: (at, why) => {
        if (id !== undefined) this.#end(id, { controller, at, why });
      },
    };
  }

  #giveUp(id: RequestId): void {
    this.#open.get(id)?.abort();
    for (const [place, call] of this.#places) if (call === id) this.#places.set(place, undefined);
  }

  #end(
    id: RequestId,
    { controller, at, why }: { controller: AbortController; at: string | undefined; why: string },
  ): void {
    if (this.#open.get(id) === controller) this.#open.delete(id);
    if (at === undefined) {
      setTimeout(() => this.#onLost(id, why), settleMs).unref();
      return;
    }
    this.#places.set(at, controller.signal.aborted ? undefined : id);
    const [oldest] = this.#places.keys();
    if (this.#places.size > keptPlaces && oldest !== undefined) this.#places.delete(oldest);
  }
}

function sentMessage(init: RequestInit): JSONRPCMessage | undefined {
  // What the SDK's transport sends is one message.
  return typeof init.body === 'string' ? (JSON.parse(init.body) as JSONRPCMessage) : undefined;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof AggregateError && cause.message === '' ? messageOf(cause.errors[0]) : messageOf(cause);
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

/** The headers of a body that is decoded already. */
function decoded(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length']) kept.delete(name);
  return kept;
}

async function boundedText({ ok, status, headers, body }: Response): Promise<Response> {
  const limit = ok ? maxMessageBytes : maxErrorBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > limit && ok) throw new Error(`the server's answer has more than ${limit} bytes: ask for less`);
    if (size > limit) break;
    chunks.push(chunk);
  }
  const text = strictJson(Buffer.concat(chunks).toString('utf8'));
  return new Response(status === 204 || status === 205 ? null : text, { status, headers: decoded(headers) });
}

/** JSON with bare NaN and Infinity as texts; anything else as it is. */
function strictJson(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return withoutBareNumbers(text);
  }
}

async function* guardedEvents(
  body: AsyncIterable<Uint8Array>,
  end: (place: string | undefined, why: string) => void,
): AsyncGenerator<Uint8Array> {
  let place: string | undefined;
  let why = 'the connection ended before the answer came';
  let lines: string[] = [];
  let eventSize = 0;
  const take = (line: string): void => {
    if (line === '') eventSize = 0;
    if (line.startsWith('id:')) place = line.slice(3).trim();
    if (!line.startsWith('retry:')) lines.push(line.startsWith('data:') ? `data:${strictJson(line.slice(5))}` : line);
  };
  const reader = new LineReader(maxMessageBytes, { line: take, dropped: () => undefined });
  try {
    for await (const chunk of body) {
      eventSize += chunk.length;
      reader.add(Buffer.from(chunk));
      if (eventSize > maxMessageBytes + chunk.length) {
        place = undefined;
        throw new Error(`an event has more than ${maxMessageBytes} bytes: ask for less`);
      }
      if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
      lines = [];
    }
  } catch (error) {
    why = `the connection broke before the answer came: ${reasonOf(error)}`;
    throw error;
  } finally {
    end(place, why);
  }
}
