/**
 * One GET over http or https that cannot reach a private network.
 *
 * 1. The address that is checked is the address that is connected to (`guarded-request`).
 * 2. Redirects are followed by hand, and each hop is checked like the first URL.
 * 3. Nothing of one origin is sent to another: no cookies, no credentials, no kept connection.
 * 4. Reading stops at the byte limit counted after decompression, and at `timeoutMs` in all, whatever the server does.
 */
import type { IncomingMessage } from 'node:http';
import { messageOf } from '../../../core/errors.ts';
import { freshness } from './freshness.ts';
import { guardedRequest, type RequestOptions } from './guarded-request.ts';
import { checkedUrl, FetchError, shownUrl } from './page-url.ts';
import { readBody } from './read-body.ts';

export interface GetOptions<Known> extends RequestOptions {
  /** For the whole call, redirects included. */
  timeoutMs: number;
  /** How many bytes of a body of this media type (lower case, empty when unnamed) are read; `undefined` refuses the type. */
  bytesOf(type: string): number | undefined;
  /**
   * Called before each request, redirects included. What it gives ends the call as its result, and what it throws is the
   * call's error. Its signal is aborted with the call.
   */
  before?: ((url: URL, signal: AbortSignal) => Promise<Known | undefined>) | undefined;
}

/** What a server sent in the end. */
export interface Page {
  /** After all redirects, without a fragment. */
  url: URL;
  /** The media type in lower case; empty when the server named none. */
  type: string;
  /** The charset parameter of the content type. */
  charset: string | undefined;
  body: Uint8Array;
  /** The body was longer than its limit; `body` holds its beginning. */
  truncated: boolean;
  /** How long the server lets the page be kept; infinite when it does not say. */
  freshForMs: number;
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
const longestPhrase = 100;

/**
 * Reads the page at `url`. Throws `FetchError` when the URL or an address is refused, the server cannot be reached,
 * answers with an error, redirects more than 5 times or takes too long; rethrows the reason when `signal` aborts.
 */
export async function getPage<Known = never>(url: string, options: GetOptions<Known>): Promise<Page | Known> {
  const first = checkedUrl(url);
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    return await follow(first, { ...options, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    if (deadline.aborted) {
      throw new FetchError(
        `${shownUrl(first)} did not answer completely within ${options.timeoutMs} ms: try again or use another page`,
      );
    }
    throw error instanceof FetchError
      ? error
      : new FetchError(`${shownUrl(first)} could not be read: ${systemReason(error)}`);
  }
}

async function follow<Known>(first: URL, options: GetOptions<Known>): Promise<Page | Known> {
  let url = first;
  let status: number | undefined;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const known = await options.before?.(url, options.signal);
    if (known !== undefined) return known;
    const response = await guardedRequest(url, options);
    try {
      status = response.statusCode ?? 0;
      const location = redirects.has(status) ? response.headers.location : undefined;
      if (location === undefined) return await pageOf(url, response, options);
      url = checkedUrl(location, url);
    } finally {
      response.destroy();
    }
  }
  throw new FetchError(
    `${shownUrl(first)} redirects more than ${maxRedirects} times: use the address of the page itself`,
    { status },
  );
}

async function pageOf(
  url: URL,
  response: IncomingMessage,
  { bytesOf }: Pick<GetOptions<unknown>, 'bytesOf'>,
): Promise<Page> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    const after = response.headers['retry-after']?.slice(0, longestPhrase);
    const remedy = after ? `try again after ${after}` : 'check the address or use another page';
    const phrase = (response.statusMessage ?? '').slice(0, longestPhrase);
    throw new FetchError(`${shownUrl(url)} answered ${status} ${phrase}: ${remedy}`, { status });
  }
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').split(';');
  const mediaType = type.trim().toLowerCase();
  const maxBytes = bytesOf(mediaType);
  if (maxBytes === undefined) {
    throw new FetchError(
      `${shownUrl(url)} is ${mediaType.slice(0, longestPhrase)}: only HTML, text, JSON, XML and PDF can be read; look for such a page`,
    );
  }
  const charset = /^\s*charset\s*=\s*["']?([^"'\s]+)/i;
  return {
    url,
    type: mediaType,
    charset: parameters.map((parameter) => charset.exec(parameter)?.[1]).find((label) => label !== undefined),
    freshForMs: freshness(response.headers),
    ...(await readBody(response, maxBytes)),
  };
}

/** When all addresses of a host fail, the system's error has a code and no message. */
function systemReason(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  return error instanceof AggregateError && typeof code === 'string' ? code : messageOf(error);
}
