import type { AllowedPlace } from './allow-list.ts';
import type { ApiResponse } from './request.ts';
import { redactorOf } from './secrets.ts';

/** The headers a caller needs; cookies and the like are nobody's business here. */
const shownHeaders = [
  'content-type',
  'location',
  'etag',
  'last-modified',
  'link',
  'retry-after',
  'x-total-count',
  'ratelimit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];
/** Of the body of an error. */
const maxErrorChars = 4_000;

/** Status, telling headers and body as text. Throws for a status that is an error, with the same text and a remedy. */
export function responseText(response: ApiResponse, places: readonly AllowedPlace[]): string {
  const redact = redactorOf(places);
  const { status } = response;
  const head = [`${status} ${response.statusText}`.trim(), ...headerLines(response)].join('\n');
  const body = bodyText(response);
  const isFine = (status >= 200 && status < 300) || status === 304;
  if (isFine) return redact(body === '' ? head : `${head}\n\n${body}`);
  const shown = body.length > maxErrorChars ? `${body.slice(0, maxErrorChars).toWellFormed()}… [cut]` : body;
  throw new Error(redact(`the server refused: ${remedy(response)}\n${head}${shown === '' ? '' : `\n\n${shown}`}`));
}

function remedy({ status, headers }: ApiResponse): string {
  const after = headers['retry-after'];
  if (after !== undefined) return `try again after ${after.slice(0, 100)}${/^\d+$/.test(after) ? ' seconds' : ''}`;
  if (status >= 300 && status < 400) return 'it wants another address, and only GET and HEAD follow redirects';
  if (status === 401 || status === 403) return 'the credentials that the user configured do not allow this';
  if (status === 404 || status === 410) return 'there is nothing at this address';
  if (status === 429) return 'too many requests, wait before the next one';
  return status >= 500 ? 'an error of the server, which may pass' : 'mend the request as the answer says';
}

function headerLines({ headers }: ApiResponse): string[] {
  return shownHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${name}: ${String(value).slice(0, 1_000)}`];
  });
}

function bodyText({ body, headers, truncated }: ApiResponse): string {
  if (body.length === 0) return '';
  const type = headers['content-type'] ?? '';
  if (!isText(type)) return `[a body of ${truncated ? 'more than ' : ''}${body.length} bytes that is no text]`;
  // A body cut at the limit may end inside a character, which streaming mode does not mind.
  const text = decoderFor(type).decode(body, { stream: truncated });
  return truncated ? `${text}\n\n[Truncated after ${body.length} bytes: ask for fewer items or fields]` : text;
}

function isText(type: string): boolean {
  return /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)\b|application\/(?:x-ndjson|jsonl|x-yaml|x-www-form-urlencoded|problem)|$)/i.test(
    type,
  );
}

function decoderFor(type: string): InstanceType<typeof TextDecoder> {
  const label = /;\s*charset\s*=\s*"?([^"\s;]+)/i.exec(type)?.[1];
  try {
    return new TextDecoder(label ?? 'utf-8');
  } catch {
    // An unknown label says nothing.
    return new TextDecoder();
  }
}
