/**
 * One request to an allowed API.
 *
 * 1. Every hop is checked against the allow list, and the address that is checked is the address that is connected to.
 * 2. Only GET and HEAD follow redirects. The headers of the user go to the origin that was asked for, and after a redirect to
 *    another origin to none.
 * 3. Reading stops at `maxBytes`, counted after decompression, and at `timeoutMs` in all.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { messageOf } from '../../../core/errors.ts';
import { guardedLookup, type Resolve } from '../net/guarded-lookup.ts';
import { readBody } from '../net/read-body.ts';
import { type AllowedPlace, allowedUrl, RefusedUrlError } from './allow-list.ts';
import { redactorOf } from './secrets.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRequest {
  method: Method;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface ClientOptions {
  places: readonly AllowedPlace[];
  /** For the whole call, redirects included. */
  timeoutMs: number;
  /** Of the body. */
  maxBytes: number;
  /** Finds all addresses of a host name. Default: the resolver of the system. */
  resolve?: Resolve;
}

export interface ApiResponse {
  /** After redirects. */
  url: URL;
  status: number;
  statusText: string;
  headers: http.IncomingHttpHeaders;
  body: Uint8Array;
  /** The body was longer than `maxBytes`. */
  truncated: boolean;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Sends the request and gives the answer, whatever its status. Rejects when the URL or an address is refused, the server
 * cannot be reached, redirects out of the allow list or takes too long; with the signal's reason when aborted.
 */
export async function sendRequest(
  request: ApiRequest,
  options: ClientOptions,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  try {
    return await follow(request, options, AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new Error(`no complete answer within ${options.timeoutMs} ms: ask for less, or try later`);
    if (error instanceof RefusedUrlError) throw error;
    throw new Error(redactorOf(options.places)(`the request failed: ${messageOf(error)}`));
  }
}

async function follow(request: ApiRequest, options: ClientOptions, signal: AbortSignal): Promise<ApiResponse> {
  const follows = isReading(request.method);
  let hop = allowedUrl(request.url, options.places);
  let withSecrets = true;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await open(request, { ...hop, withSecrets }, { options, signal });
    try {
      const { location } = response.headers;
      const isRedirect = follows && redirects.has(response.statusCode ?? 0) && location !== undefined;
      if (!isRedirect) return await answered(hop.url, response, options.maxBytes);
      const next = allowedUrl(location, options.places, hop.url);
      withSecrets &&= next.url.origin === hop.url.origin;
      hop = next;
    } finally {
      response.destroy();
    }
  }
  throw new RefusedUrlError(
    `the server redirects more than ${maxRedirects} times: use the address of the resource itself`,
  );
}

function isReading(method: Method): boolean {
  return method === 'GET' || method === 'HEAD';
}

interface Hop {
  url: URL;
  place: AllowedPlace;
  withSecrets: boolean;
}

function open(
  request: ApiRequest,
  { url, place, withSecrets }: Hop,
  { options, signal }: { options: ClientOptions; signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const lookup = guardedLookup(url, {
    mayBePrivate: place.private,
    resolve: options.resolve,
    refusal: notPublic,
    failure: (message) => new Error(message),
  });
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const sent = (url.protocol === 'https:' ? https : http).request(url, {
    method: request.method,
    // A connection of its own, without a proxy that would resolve the name again.
    agent: false,
    headers: headersOf(request, withSecrets ? place.headers : {}),
    lookup,
    signal,
  });
  sent.on('response', resolve).on('error', reject).end(request.body);
  return promise;
}

/** What is later wins, whatever its case. */
function headersOf(request: ApiRequest, secret: Readonly<Record<string, string>>): Record<string, string> {
  const own = {
    'user-agent': 'assay',
    accept: 'application/json, text/plain;q=0.9, */*;q=0.5',
    'accept-encoding': 'identity',
    ...(!isReading(request.method) && { 'content-length': String(Buffer.byteLength(request.body ?? '')) }),
  };
  const all = [own, request.headers, secret].flatMap((headers) => Object.entries(headers));
  return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value]));
}

function notPublic(host: string): RefusedUrlError {
  return new RefusedUrlError(
    `${host} is refused: it is not an address of the public internet; the user can set private: true for it in "allow"`,
  );
}

async function answered(url: URL, response: http.IncomingMessage, maxBytes: number): Promise<ApiResponse> {
  return {
    url,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    headers: response.headers,
    // In case the server compressed it unasked.
    ...(await readBody(response, maxBytes)),
  };
}
