import { problemOf, unreachable } from './problem.ts';
import { currentToken } from './token.ts';

export interface Ask {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** A request to the server this page came from. `path` has no leading slash: the page may be mounted anywhere. Throws a `Problem`. */
export async function ask(path: string, { method = 'GET', body, headers, signal }: Ask = {}): Promise<Response> {
  const token = currentToken();
  const response = await fetch(new URL(path, document.baseURI), {
    method,
    redirect: 'error',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachable();
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The JSON of a response. The server validates what it sends by the schemas of its OpenAPI document, so it is taken at its word. */
export async function askJson<T>(path: string, options?: Ask): Promise<T> {
  const response = await ask(path, { ...options, headers: { accept: 'application/json', ...options?.headers } });
  return (await response.json()) as T;
}

/** A path with a query; what is undefined or empty is left out. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
