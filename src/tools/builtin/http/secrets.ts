import type { AllowedPlace } from './allow-list.ts';

/** Shorter texts would be replaced everywhere, and are no secrets. */
const shortest = 6;

/**
 * A function that replaces the secret headers in a text: whole, without their scheme (`Bearer`), decoded where the scheme is
 * Basic, and as JSON and URLs write them. A server that encodes them in another way can still show them.
 */
export function redactorOf(places: readonly AllowedPlace[]): (text: string) => string {
  const values = places.flatMap(({ headers }) => Object.values(headers)).flatMap(partsOf);
  const spellings = values.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    value.replaceAll('/', '\\/'),
    encodeURIComponent(value),
  ]);
  const secrets = [...new Set(spellings)]
    .filter(({ length }) => length >= shortest)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((safe, secret) => safe.replaceAll(secret, '[secret]'), text);
}

function partsOf(value: string): string[] {
  const [, scheme = '', credentials] = /^([A-Za-z-]+) +(\S.*)$/.exec(value) ?? [];
  if (credentials === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [value, credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}
