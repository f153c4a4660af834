/**
 * Name resolution for requests that must not reach a private network. It runs inside the request, so the address that is checked is the
 * address that is connected to; one private address among the resolved ones refuses the whole name.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../../../core/errors.ts';
import { isPrivateAddress } from './private-address.ts';

/** Finds all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface Guard {
  /** The user has listed this place as one that may be private. */
  mayBePrivate: boolean;
  /** Default: the resolver of the system. */
  resolve?: Resolve | undefined;
  /** The error for a private address; `host` is the same as `address` for a literal one. */
  refusal(host: string, address: string): Error;
  /** The error for a name without an address. */
  failure(message: string): Error;
}

/** The `lookup` of a request. Throws the refusal at once for a URL that holds a private address, which is connected to without a look-up. */
export function guardedLookup(url: URL, guard: Guard): LookupFunction {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !guard.mayBePrivate && isPrivateAddress(literal)) throw guard.refusal(url.host, url.host);
  const resolve = guard.resolve ?? resolveBySystem;
  return (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const refused = guard.mayBePrivate ? undefined : addresses.find(({ address }) => isPrivateAddress(address));
        if (refused) callback(guard.refusal(hostname, refused.address), []);
        else if (!first) callback(guard.failure(`${hostname} has no address: check the host name`), []);
        else if (lookupOptions.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) =>
        callback(guard.failure(`${hostname} was not found: check the host name (${messageOf(error)})`), []),
    );
  };
}

function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  return new Promise((settle, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : settle(addresses)));
  });
}
