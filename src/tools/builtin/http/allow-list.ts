/**
 * Which URLs may be requested, and what the user adds to the requests.
 *
 * 1. Origins are compared as `URL` writes them (scheme, ASCII host, port), so that no look-alike in the text matters.
 * 2. A path lies below a prefix in the form in which it is sent, and no decoding that a server may do leads out of it.
 * 3. The headers of an entry are secrets: they are sent for URLs of this entry only, and their values are never shown.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isIP } from 'node:net';
import { messageOf, UsageError } from '../../../core/errors.ts';
import { isPrivateAddress } from '../net/private-address.ts';

/** An API that may be called. */
export interface AllowedApi {
  /** An origin, with a path when only what lies below it is meant: `https://api.example.com/v2`. */
  url: string;
  /** Sent with every request to this API, for example `authorization`. The model neither sets nor sees them. */
  headers?: Readonly<Record<string, string>>;
  /** The host may be an address that is not on the public internet. Default false. */
  private?: boolean;
}

/** An entry that was checked. */
export interface AllowedPlace {
  readonly origin: string;
  /** Without a slash at its end. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly private: boolean;
}

/** Why a URL is not requested: what happened and the remedy. */
export class RefusedUrlError extends Error {
  override readonly name = 'RefusedUrlError';
}

/** Checks the entries of the user. Throws `UsageError`. */
export function allowedPlaces(entries: readonly (string | AllowedApi)[]): AllowedPlace[] {
  if (entries.length === 0) throw new UsageError('allow: name at least one origin, such as "https://api.example.com"');
  return entries.map((entry) => allowedPlace(typeof entry === 'string' ? { url: entry } : entry));
}

function allowedPlace({ url: text, headers = {}, private: isPrivate = false }: AllowedApi): AllowedPlace {
  const url = URL.parse(text);
  const plain = url && isWeb(url) && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  // Without the text when it may hold a password.
  if (!url)
    throw new UsageError('allow: an entry is no URL; write "https://api.example.com" or "https://api.example.com/v2"');
  if (!plain || pathProblem(url.pathname) !== undefined) {
    throw new UsageError(
      `allow: the entry for ${url.host} needs to be http or https, an origin and perhaps a path, without user, query or #`,
    );
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!isPrivate && (literal === 'localhost' || (isIP(literal) !== 0 && isPrivateAddress(literal)))) {
    throw new UsageError(`allow: ${url.host} is not on the public internet; add private: true if it is meant`);
  }
  for (const [name, value] of Object.entries(headers)) checkHeader(url.host, name, value);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, ''), headers, private: isPrivate };
}

function checkHeader(host: string, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    throw new UsageError(
      `allow: a header for ${host} cannot be sent: ${messageOf(error).replaceAll(value, '[secret]')}`,
    );
  }
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

/** The URL and its entry. Throws `RefusedUrlError` for one that may not be requested. `from`: the URL that redirects to it. */
export function allowedUrl(
  text: string,
  places: readonly AllowedPlace[],
  from?: URL,
): { url: URL; place: AllowedPlace } {
  const url = URL.parse(text, from?.href);
  if (!url || !isWeb(url)) {
    throw new RefusedUrlError(`this is no http or https URL: give a full one below ${listed(places)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedUrlError(`the URL for ${url.host} contains a user name or password: give it without`);
  }
  url.hash = '';
  const problem = pathProblem(url.pathname);
  if (problem !== undefined) throw new RefusedUrlError(`the path of the URL ${problem}: give a plain path`);
  const place = places
    .filter(({ origin, prefix }) => url.origin === origin && `${url.pathname}/`.startsWith(`${prefix}/`))
    .sort((a, b) => b.prefix.length - a.prefix.length)[0];
  if (!place) {
    const where = from ? `${from.host} redirects to ${url.host}${url.pathname}, which` : `${url.host}${url.pathname}`;
    throw new RefusedUrlError(`${where} is not allowed; allowed: ${listed(places)}`);
  }
  return { url, place };
}

function listed(places: readonly AllowedPlace[]): string {
  return places.map(({ origin, prefix }) => origin + prefix).join(', ');
}

/** What in a path, as `URL` writes it, could lead a server to another place than the text says. */
export function pathProblem(pathname: string): string | undefined {
  if (pathname.includes('//')) return 'contains //';
  const plain = fullyDecoded(pathname);
  if (plain.includes('\\')) return 'contains a backslash';
  if (plain.includes('\0')) return 'contains a NUL character';
  // Some servers cut off what follows a semicolon.
  const leads = plain.split('/').some((part) => /^\.{1,2}$/.test(part.split(';')[0] ?? ''));
  return leads ? 'contains . or .. as a part of it' : undefined;
}

const telling: Readonly<Record<string, string>> = {
  '2e': '.',
  '2f': '/',
  '5c': '\\',
  '25': '%',
  '3b': ';',
  '00': '\0',
};

/** With the characters decoded that matter in paths, however often they were encoded. */
function fullyDecoded(pathname: string): string {
  let before: string;
  let plain = pathname;
  do {
    before = plain;
    plain = before.replace(/%(2e|2f|5c|25|3b|00)/gi, (_, code: string) => telling[code.toLowerCase()] ?? '');
  } while (plain !== before);
  return plain;
}
