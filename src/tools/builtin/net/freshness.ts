import type { IncomingHttpHeaders } from 'node:http';

/**
 * How many milliseconds a private cache may keep a response (RFC 9111, sections 4.2 and 5.2): 0 for `no-store`, `no-cache` and
 * `vary: *`, `max-age` less the age it already has, infinite when the server does not say.
 */
export function freshness(headers: IncomingHttpHeaders): number {
  const { 'cache-control': control, pragma, vary, age } = headers;
  if (vary?.includes('*')) return 0;
  if (control === undefined) return /no-cache/i.test(pragma ?? '') ? 0 : Number.POSITIVE_INFINITY;
  const directives = control
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.some((directive) => /^no-(?:store|cache)\b/.test(directive))) return 0;
  const maxAge = directives.map((directive) => /^max-age\s*=\s*"?(\d{1,10})"?$/.exec(directive)?.[1]).find(Boolean);
  if (maxAge === undefined) return Number.POSITIVE_INFINITY;
  const spent = /^\d{1,10}$/.test(age ?? '') ? Number(age) : 0;
  return Math.max(0, Number(maxAge) - spent) * 1_000;
}
