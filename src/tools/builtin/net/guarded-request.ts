/** One HTTP request that cannot reach a private network. */
import * as http from 'node:http';
import * as https from 'node:https';
import { guardedLookup, type Resolve } from './guarded-lookup.ts';
import { FetchError, hostAndPort } from './page-url.ts';

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
  const lookup = guardedLookup(url, {
    mayBePrivate: options.allow.has(hostAndPort(url)),
    resolve: options.resolve,
    refusal,
    failure: (message) => new FetchError(message),
  });
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
        lookup,
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
