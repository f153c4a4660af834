import { UsageError } from '../../../core/errors.ts';

export interface ServiceOptions {
  /** Default: the service's environment variable. */
  apiKey?: string;
  /** Where the API is, for a proxy of your own: `https://search.corp.example`. With a key only https, or http on this machine. */
  baseUrl?: string;
}

/** A key that can be sent in a header. Throws `UsageError` that names the variable and never shows the key. */
export function keyOf(name: string, variable: string, apiKey: string | undefined): string {
  const key = apiKey ?? process.env[variable] ?? '';
  if (key === '') throw new UsageError(`${name}: no key; set ${variable} or pass apiKey`);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`${name}: the key has characters that no key has (a space, a line break); check ${variable}`);
  }
  return key;
}

/** A base URL with a slash at its end. Throws `UsageError` when it is none, or would send a key in the clear. */
export function baseOf(name: string, text: string, key?: string): URL {
  const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`${name}: the base URL is not an http or https URL without user name and query`);
  }
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError(`${name}: the key would be sent unencrypted to ${url.host}; use https`);
  }
  return url;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
