import * as z from 'zod';
import { askService, type Service } from './ask-service.ts';
import { baseOf, keyOf, type ServiceOptions } from './options.ts';
import { checkedAnswer, dated, text, usable } from './results.ts';
import type { SearchProvider } from './search-provider.ts';

const variable = 'EXA_API_KEY';
const answers = z
  .object({
    results: z.array(
      z.object({ title: text, url: text, publishedDate: text, highlights: z.array(text).catch([]), text }),
    ),
  })
  .transform(({ results }) => results);

/** Exa (`POST /search` with highlights, `x-api-key`). Throws `UsageError` without a key. */
export function exa({ apiKey, baseUrl = 'https://api.exa.ai' }: ServiceOptions = {}): SearchProvider {
  const key = keyOf('exa', variable, apiKey);
  const base = baseOf('exa', baseUrl, key);
  const service: Service = {
    name: 'exa',
    key,
    accessRemedy: `check ${variable}`,
    faults: { NO_MORE_CREDITS: 'quota', API_KEY_BUDGET_EXCEEDED: 'quota', TEAM_BUDGET_EXCEEDED: 'quota' },
    errorIn: (body) => ({ code: Reflect.get(body, 'tag'), text: Reflect.get(body, 'error') }),
  };
  return {
    name: 'exa',
    hosts: [base.hostname],
    search: async (query, { limit, signal }) => {
      const answer = await askService(service, {
        url: new URL('search', base),
        method: 'POST',
        headers: { 'x-api-key': key },
        body: { query, numResults: limit, type: 'auto', contents: { highlights: true } },
        signal,
      });
      const results = checkedAnswer('exa', answer, answers).map((result) =>
        dated(
          { title: result.title, url: result.url, snippet: result.highlights.join(' … ') || result.text },
          result.publishedDate,
        ),
      );
      return usable('exa', results, limit);
    },
  };
}
