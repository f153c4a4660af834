import * as z from 'zod';
import { UsageError } from '../../../core/errors.ts';
import { askService, type Service } from './ask-service.ts';
import { baseOf } from './options.ts';
import { checkedAnswer, dated, text, usable } from './results.ts';
import { SearchError, type SearchProvider } from './search-provider.ts';

export interface SearxngOptions {
  /** Of your instance, such as `http://localhost:8888`. Default: the environment variable SEARXNG_URL. */
  url?: string;
}

const answers = z.object({
  results: z.array(z.object({ title: text, url: text, content: text, publishedDate: text })),
  unresponsive_engines: z.array(z.array(text).catch([])).catch([]),
});

/** A SearXNG instance (`GET /search?format=json`), which has to have that format enabled. Throws `UsageError` without a URL. */
export function searxng({ url = process.env['SEARXNG_URL'] ?? '' }: SearxngOptions = {}): SearchProvider {
  if (url === '') throw new UsageError('searxng: no URL of an instance; set SEARXNG_URL or pass url');
  const base = baseOf('searxng', url);
  const service: Service = {
    name: 'searxng',
    accessRemedy: 'the user has to enable its JSON format: list "json" under search.formats in its settings.yml',
    faults: { 403: 'no-access' },
  };
  return {
    name: 'searxng',
    hosts: [base.hostname],
    search: async (query, { limit, signal }) => {
      const request = new URL('search', base);
      request.searchParams.set('q', query);
      request.searchParams.set('format', 'json');
      const answer = await askService(service, { url: request, signal });
      const found = checkedAnswer('searxng', answer, answers);
      const results = found.results.map(({ title, url: address, content, publishedDate }) =>
        dated({ title, url: address, snippet: content }, publishedDate),
      );
      if (results.length === 0) throwIfUnanswered(found.unresponsive_engines);
      return usable('searxng', results, limit);
    },
  };
}

/** Nothing was found where nobody looked. */
function throwIfUnanswered(engines: string[][]): void {
  if (engines.length === 0) return;
  const reasons = engines.slice(0, 10).map(([engine = '', why = '']) => `${engine} (${why})`.slice(0, 60));
  throw new SearchError(
    'unavailable',
    `searxng found nothing because engines did not answer it: ${reasons.join(', ')}; try again later or use another provider`,
  );
}
