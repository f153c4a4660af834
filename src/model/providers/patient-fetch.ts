import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { Readable } from 'node:stream';

/**
 * `fetch` for servers that read a prompt for minutes before they answer: the built-in one gives up after 300 s without a
 * header. Takes a URL and a body of text, follows no redirect, and rejects with the reason of the signal.
 */
export async function patientFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  if (input instanceof Request || (init.body && typeof init.body !== 'string')) return fetch(input, init);
  init.signal?.throwIfAborted();
  const message = await answer(new URL(input), init);
  const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const status = message.statusCode ?? 500;
  // These have no body by definition, and a Response refuses one.
  const body = [101, 204, 205, 304].includes(status) ? null : bodyOf(message);
  return new Response(body, { status, statusText: message.statusMessage ?? '', headers });
}

function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  // The stream of Node is the one of the web; only its types are others.
  return Readable.toWeb(message) as ReadableStream<Uint8Array>;
}

function answer(url: URL, { method = 'GET', headers, body, signal }: RequestInit): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? secureRequest : plainRequest;
    const sent = send(url, { method, headers: Object.fromEntries(new Headers(headers)) }, resolve);
    const stop = (): void => void sent.destroy(signal?.reason instanceof Error ? signal.reason : undefined);
    signal?.addEventListener('abort', stop, { once: true });
    sent.once('close', () => signal?.removeEventListener('abort', stop));
    sent.once('error', (error) => reject(signal?.aborted ? signal.reason : asFetchError(error)));
    sent.end(typeof body === 'string' ? body : undefined);
  });
}

/** As the built-in `fetch` reports it, which is what readers of errors know. */
function asFetchError(error: Error): TypeError {
  return new TypeError('fetch failed', { cause: error });
}
