/**
 * One request to the REST API of a search service, which answers in JSON or not at all.
 *
 * 1. Redirects are not followed: the key would go along.
 * 2. The body is read up to a limit, counted after decompression.
 * 3. The key is taken out of whatever came back before anything else sees it.
 * 4. Anything but a 200 with JSON is a `SearchError` that says what to do.
 */
import { messageOf } from '../../../core/errors.ts';
import { SearchError, type SearchFault } from './search-provider.ts';

export interface Service {
  name: string;
  /** Taken out of every message. */
  key?: string | undefined;
  /** What the user can do when it refuses access, such as `check TAVILY_API_KEY`. */
  accessRemedy: string;
  /** Faults of this service that its status, or the code in its error body, tells. */
  faults?: Readonly<Record<string, SearchFault>>;
  /** The code and the text of an error body. */
  errorIn?(body: object): { code?: unknown; text?: unknown };
}

export interface ServiceRequest {
  url: URL;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: object;
  signal: AbortSignal;
}

const longestBody = 4 * 1024 * 1024;
const longestDetail = 200;

interface Answer {
  status: number;
  type: string;
  retryAfter: string | null;
  text: string;
}

/** The JSON object a service answers with. Rejects with `SearchError` or the reason of the signal. */
export async function askService(service: Service, request: ServiceRequest): Promise<object> {
  const answer = await send(service, request);
  const body = parsedObject(answer.text);
  if (answer.status === 200 && body) return body;
  throw faultOf(service, answer, body);
}

async function send(service: Service, { url, method = 'GET', headers, body, signal }: ServiceRequest): Promise<Answer> {
  signal.throwIfAborted();
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
    const text = await boundedText(service.name, response);
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      retryAfter: response.headers.get('retry-after'),
      text: withoutKey(text, service),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SearchError) throw error;
    const cause = error instanceof Error && error.cause ? error.cause : error;
    const code: unknown = Reflect.get(Object(cause), 'code');
    const reason = withoutKey(messageOf(cause) || String(code), service).slice(0, longestDetail);
    throw new SearchError(
      'unavailable',
      `${service.name} could not be reached at ${url.host}: ${reason}; try again later or use another provider`,
    );
  }
}

async function boundedText(service: string, response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > longestBody) {
      throw new SearchError(
        'bad-response',
        `${service} answered with more than ${longestBody} bytes; ask for fewer results, or check the base URL`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function withoutKey(text: string, { key }: Service): string {
  return key ? text.replaceAll(key, '[key]') : text;
}

function parsedObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function faultOf(service: Service, answer: Answer, body: object | undefined): SearchError {
  const { code, text } = (body && service.errorIn?.(body)) ?? {};
  const fault = service.faults?.[String(code)] ?? service.faults?.[String(answer.status)] ?? usualFault(answer, body);
  const said =
    typeof text === 'string' && text !== ''
      ? `: ${text
          .slice(0, longestDetail)
          .replace(/\s+/g, ' ')
          .replace(/[\s.]+$/, '')}`
      : '';
  return new SearchError(
    fault,
    `${service.name} ${happened(fault, answer)}${said}; ${remedyOf(fault, service, answer)}`,
  );
}

function usualFault({ status, text, type }: Answer, body: object | undefined): SearchFault {
  if (status === 401 || (status === 403 && body)) return 'no-access';
  if (status === 402) return 'quota';
  if (status === 429) return 'rate-limited';
  if (status >= 500) return 'unavailable';
  if (status >= 300 && status < 400) return 'bad-response';
  // A page for people stands where data is due: a challenge, whatever the status says.
  if (status === 403 || /html/i.test(type) || /^\s*</.test(text)) return 'blocked';
  return status >= 400 ? 'refused' : 'bad-response';
}

function happened(fault: SearchFault, { status }: Answer): string {
  const what: Record<SearchFault, string> = {
    'no-access': 'refuses access',
    quota: 'has no searches left for this key',
    'rate-limited': 'has had too many requests',
    blocked: 'answered with a page for people, probably a challenge or block, and not with results',
    refused: 'does not accept this search',
    unavailable: 'failed',
    'bad-response': 'answered with something that is no list of results',
  };
  return `${what[fault]} (HTTP ${status})`;
}

function remedyOf(fault: SearchFault, { accessRemedy }: Service, { retryAfter }: Answer): string {
  switch (fault) {
    case 'no-access':
      return accessRemedy;
    case 'quota':
      return 'the user has to raise the plan or configure another provider; do not search again now';
    case 'rate-limited':
      return `try again ${laterThan(retryAfter)}, or use another provider; other words do not help`;
    case 'blocked':
      return 'try later or use another provider; other words do not help';
    case 'refused':
      return 'make the query shorter and plainer';
    case 'unavailable':
      return 'try again later or use another provider';
    case 'bad-response':
      return 'check the base URL, or use another provider';
    default:
      return fault satisfies never;
  }
}

/** A `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3). */
function laterThan(retryAfter: string | null): string {
  if (retryAfter === null) return 'later';
  if (/^\d{1,7}$/.test(retryAfter)) return `after ${retryAfter} s`;
  const date = new Date(retryAfter);
  return Number.isNaN(date.getTime()) ? 'later' : `after ${date.toISOString()}`;
}
