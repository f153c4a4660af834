import * as z from 'zod';
import { SearchError, type SearchResult } from './search-provider.ts';

/** A text that may be missing or of another kind: services are not strict about what they have no value for. */
export const text: z.ZodCatch<z.ZodString> = z.string().catch('');

/** What a service answered, in the form it has to have. Throws `SearchError` when it has another. */
export function checkedAnswer<Answer>(name: string, answer: object, form: z.ZodType<Answer>): Answer {
  const found = form.safeParse(answer);
  if (found.success) return found.data;
  throw new SearchError(
    'bad-response',
    `${name} answered with something that is no list of results; check the base URL, or use another provider`,
  );
}

/** The first `limit` results that have an http address, each once. */
export function usable(name: string, results: readonly SearchResult[], limit: number): SearchResult[] {
  const byUrl = new Map<string, SearchResult>();
  for (const result of results) {
    const url = URL.parse(result.url);
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || byUrl.has(url.href)) continue;
    byUrl.set(url.href, { ...result, url: url.href });
  }
  if (results.length > 0 && byUrl.size === 0) {
    throw new SearchError(
      'bad-response',
      `${name} answered with results that have no web address; use another provider`,
    );
  }
  return [...byUrl.values()].slice(0, limit);
}

/** The result with its date, if the service gave one. */
export function dated(result: Omit<SearchResult, 'published'>, published: string): SearchResult {
  return published === '' ? result : { ...result, published };
}
