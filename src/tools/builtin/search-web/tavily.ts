import * as z from 'zod';
import { askService, type Service } from './ask-service.ts';
import { baseOf, keyOf, type ServiceOptions } from './options.ts';
import { checkedAnswer, dated, text, usable } from './results.ts';
import type { SearchProvider } from './search-provider.ts';

const variable = 'TAVILY_API_KEY';
const answers = z
  .object({ results: z.array(z.object({ title: text, url: text, content: text, published_date: text })) })
  .transform(({ results }) => results);

/** Tavily (`POST /search`, Bearer key). Throws `UsageError` without a key. */
export function tavily({ apiKey, baseUrl = 'https://api.tavily.com' }: ServiceOptions = {}): SearchProvider {
  const key = keyOf('tavily', variable, apiKey);
  const base = baseOf('tavily', baseUrl, key);
  const service: Service = {
    name: 'tavily',
    key,
    accessRemedy: `check ${variable}`,
    faults: { 432: 'quota', 433: 'quota' },
    errorIn: (body) => {
      const detail: unknown = Reflect.get(body, 'detail');
      return { text: typeof detail === 'string' ? detail : Reflect.get(Object(detail), 'error') };
    },
  };
  return {
    name: 'tavily',
    hosts: [base.hostname],
    search: async (query, { limit, signal }) => {
      const answer = await askService(service, {
        url: new URL('search', base),
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: { query, max_results: Math.min(limit, 20), search_depth: 'basic' },
        signal,
      });
      const results = checkedAnswer('tavily', answer, answers).map(({ title, url, content, published_date }) =>
        dated({ title, url, snippet: content }, published_date),
      );
      return usable('tavily', results, limit);
    },
  };
}
