/**
 * One GET over http or https that cannot reach a private network.
 *
 * 1. The address that is checked is the address that is connected to: names are resolved in the `lookup` of the request
 *    itself, and one private address among the resolved ones refuses the whole name.
 * 2. Redirects are followed by hand, and each hop is checked like the first URL.
 * 3. Nothing of one origin is sent to another: no cookies, no credentials, no kept connection.
 * 4. Reading stops at `maxBytes` counted after decompression, and at `timeoutMs` in all, whatever the server does.
 */

import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../../../core/errors.ts';
import { isPrivateAddress } from './private-address.ts';
import { readBody } from './read-body.ts';

/** Finds all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

interface GetOptions {
  /** `host:port` that may be private, see `hostAndPort`. */
  allow: ReadonlySet<string>;
  /** For the whole call, redirects included. */
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
  /** Default: the resolver of the system. */
  resolve?: Resolve;
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
  /** The body was longer than `maxBytes`; `body` holds its beginning. */
  truncated: boolean;
}

/** Why a page was not read: what happened and the remedy. */
class FetchError extends Error {
  override readonly name = 'FetchError';
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Reads the page at `url`. Throws `FetchError` when the URL or an address is refused, the server cannot be reached,
 * answers with an error, redirects more than 5 times or takes too long; rethrows the reason when `signal` aborts.
 */
export async function getPage(url: string, options: GetOptions): Promise<Page> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, deadline]);
  try {
    return await follow(checkedUrl(url), { ...options, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    if (deadline.aborted) {
      throw new FetchError(
        `${url} did not answer completely within ${options.timeoutMs} ms: try again or use another page`,
      );
    }
    throw error instanceof FetchError ? error : new FetchError(`${url} could not be read: ${messageOf(error)}`);
  }
}

async function follow(first: URL, options: GetOptions): Promise<Page> {
  let url = first;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await request(url, options);
    try {
      const location = redirects.has(response.statusCode ?? 0) ? response.headers.location : undefined;
      if (location === undefined) return await pageOf(url, response, options);
      url = checkedUrl(location, url);
    } finally {
      response.destroy();
    }
  }
  throw new FetchError(`${first.href} redirects more than ${maxRedirects} times: use the address of the page itself`);
}

/** The URL, if it is one that may be fetched at all. */
function checkedUrl(text: string, base?: URL): URL {
  const where = base ? `the redirect of ${base.href} to ${text}` : text;
  const url = URL.parse(text, base?.href);
  if (!url) throw new FetchError(`${where} is no URL: give a full one such as https://example.com/page`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError(`${where} is refused: only http and https can be fetched, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchError(`${url.host} is refused: the URL contains a user name or password; give it without`);
  }
  url.hash = '';
  return url;
}

/** `host:port` of a URL with the port always written out; a name is in its ASCII (punycode) form. */
function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

function refuse(host: string, address: string): FetchError {
  const what = host === address ? host : `${host} (${address})`;
  return new FetchError(
    `${what} is refused: it is not an address of the public internet; the user can list its host:port in "allow"`,
  );
}

function request(url: URL, options: GetOptions): Promise<http.IncomingMessage> {
  const allowed = options.allow.has(hostAndPort(url));
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  // A literal address is connected to without a look-up.
  if (isIP(literal) && !allowed && isPrivateAddress(literal)) throw refuse(url.host, url.host);
  const secure = url.protocol === 'https:';
  return new Promise((settle, reject) => {
    (secure ? https : http)
      .get(url, {
        // An agent of its own: no kept connection to another origin, no proxy that would resolve the name again.
        agent: secure ? new https.Agent() : new http.Agent(),
        headers: {
          'user-agent': 'assay',
          accept: 'text/html,application/xhtml+xml,text/plain,application/json,application/xml;q=0.9,*/*;q=0.5',
          'accept-encoding': 'gzip, br, deflate',
        },
        lookup: guardedLookup(options.resolve ?? resolveBySystem, allowed),
        signal: options.signal,
      })
      .on('response', settle)
      .on('error', reject);
  });
}

function guardedLookup(resolve: Resolve, allowed: boolean): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const refused = allowed ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
        if (refused) callback(refuse(hostname, refused.address), []);
        else if (!first) callback(new FetchError(`${hostname} has no address: check the host name`), []);
        else if (lookupOptions.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) =>
        callback(new FetchError(`${hostname} was not found: check the host name (${messageOf(error)})`), []),
    );
  };
}

function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  return new Promise((settle, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : settle(addresses)));
  });
}

async function pageOf(url: URL, response: http.IncomingMessage, options: GetOptions): Promise<Page> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) {
    const after = response.headers['retry-after'];
    const remedy = after ? `try again after ${after}` : 'check the address or use another page';
    throw new FetchError(`${url.href} answered ${status} ${response.statusMessage ?? ''}: ${remedy}`);
  }
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').split(';');
  const mediaType = type.trim().toLowerCase();
  if (!isReadable(mediaType)) {
    throw new FetchError(
      `${url.href} is ${mediaType}: only HTML, text, JSON and XML can be read; look for such a page`,
    );
  }
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)/i;
  return {
    url,
    type: mediaType,
    charset: parameters.map((parameter) => charset.exec(parameter)?.[1]).find((label) => label !== undefined),
    ...(await readBody(response, options.maxBytes)),
  };
}

function isReadable(type: string): boolean {
  return /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml)|application\/(?:x-ndjson|jsonl|yaml|x-yaml))?$/.test(type);
}
