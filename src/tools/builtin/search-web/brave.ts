import * as z from 'zod';
import { htmlText } from '../net/html-text.ts';
import { askService, type Service } from './ask-service.ts';
import { baseOf, keyOf, type ServiceOptions } from './options.ts';
import { checkedAnswer, dated, text, usable } from './results.ts';
import type { SearchProvider, SearchResult } from './search-provider.ts';

const variable = 'BRAVE_API_KEY';
const results = z.array(z.object({ title: text, url: text, description: text, page_age: text }));

/** Without web results there is no `web`; that the answer is one to a search is said by `type`. */
const answers = z
  .object({ type: z.literal('search'), web: z.object({ results: results.default([]) }).optional() })
  .transform(({ web }) => web?.results ?? []);

/** The Brave Search API (`GET /res/v1/web/search`, `X-Subscription-Token`). Throws `UsageError` without a key. */
export function brave({ apiKey, baseUrl = 'https://api.search.brave.com' }: ServiceOptions = {}): SearchProvider {
  const key = keyOf('brave', variable, apiKey);
  const base = baseOf('brave', baseUrl, key);
  const service: Service = {
    name: 'brave',
    key,
    accessRemedy: `check ${variable}`,
    faults: {
      SUBSCRIPTION_TOKEN_INVALID: 'no-access',
      SUBSCRIPTION_NOT_FOUND: 'no-access',
      QUOTA_LIMITED: 'quota',
      RATE_LIMITED: 'rate-limited',
    },
    errorIn: (body) => {
      const error = Object(Reflect.get(body, 'error'));
      return { code: Reflect.get(error, 'code'), text: Reflect.get(error, 'detail') };
    },
  };
  return {
    name: 'brave',
    hosts: [base.hostname],
    search: async (query, { limit, signal }) => {
      const url = new URL('res/v1/web/search', base);
      const parameters = {
        q: query,
        count: String(Math.min(limit, 20)),
        result_filter: 'web',
        text_decorations: 'false',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const answer = await askService(service, { url, headers: { 'x-subscription-token': key }, signal });
      const found = checkedAnswer('brave', answer, answers).slice(0, limit);
      return usable('brave', await Promise.all(found.map(plainResult)), limit);
    },
  };
}

/** Its texts are HTML. */
async function plainResult(result: z.output<typeof results>[number]): Promise<SearchResult> {
  const [title, description] = await Promise.all([htmlText(result.title), htmlText(result.description)]);
  return dated({ title: title.text, url: result.url, snippet: description.text }, result.page_age);
}
