/**
 * One HTTP request that cannot reach a private network: the address that is checked is the address that is connected to.
 * Names are resolved once, in the `lookup` of the request itself, and one private address among the resolved ones refuses the
 * whole name.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../../../core/errors.ts';
import { FetchError, hostAndPort } from './page-url.ts';
import { isPrivateAddress } from './private-address.ts';

/** Finds all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface RequestOptions {
  /** `host:port` that may be private, see `hostAndPort`. */
  allow: ReadonlySet<string>;
  userAgent: string;
  signal: AbortSignal;
  /** Default: the resolver of the system. */
  resolve?: Resolve | undefined;
}

/** The response to a GET of the URL, its body unread. Rejects with `FetchError` for a refused address, else with the system's error. */
export async function guardedRequest(url: URL, options: RequestOptions): Promise<http.IncomingMessage> {
  const allowed = options.allow.has(hostAndPort(url));
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  // A literal address is connected to without a look-up.
  if (isIP(literal) && !allowed && isPrivateAddress(literal)) throw refusal(url.host, url.host);
  const secure = url.protocol === 'https:';
  return new Promise((settle, reject) => {
    (secure ? https : http)
      .get(url, {
        // An agent of its own: no kept connection to another origin, no proxy that would resolve the name again.
        agent: secure ? new https.Agent() : new http.Agent(),
        headers: {
          'user-agent': options.userAgent,
          accept:
            'text/html,application/xhtml+xml,text/plain,application/json,application/xml;q=0.9,application/pdf;q=0.8,*/*;q=0.5',
          'accept-encoding': 'gzip, br, deflate',
        },
        lookup: guardedLookup(options.resolve ?? resolveBySystem, allowed),
        signal: options.signal,
      })
      .on('response', settle)
      .on('error', reject);
  });
}

function refusal(host: string, address: string): FetchError {
  const what = host === address ? host : `${host} (${address})`;
  return new FetchError(
    `${what} is refused: it is not an address of the public internet; the user can list its host:port in "allow"`,
    { refused: true },
  );
}

function guardedLookup(resolve: Resolve, allowed: boolean): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const refused = allowed ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
        if (refused) callback(refusal(hostname, refused.address), []);
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
