import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, tool } from '../tool.ts';
import { withoutImages } from './net/html-meaning.ts';
import { brave } from './search-web/brave.ts';
import { exa } from './search-web/exa.ts';
import { SearchError, type SearchProvider, type SearchResult } from './search-web/search-provider.ts';
import { searxng } from './search-web/searxng.ts';
import { tavily } from './search-web/tavily.ts';

export interface SearchWebOptions {
  /** Default: the first of Tavily, Exa, Brave and SearXNG whose key or URL is in the environment. */
  provider?: SearchProvider;
  /** For one search. Default 15,000. */
  timeoutMs?: number;
}

/** The executor's own limit comes later, so that the error of this tool is the one that is seen. */
const graceMs = 5_000;
const longest = { title: 200, snippet: 600, published: 40, url: 2_000 };

/**
 * A tool that searches the web through a search service and returns numbered titles, addresses and snippets. A service that blocks,
 * limits or fails is an error, never an empty result. Throws `UsageError` when there is no provider.
 */
export function searchWeb({ provider = providerOfEnvironment(), timeoutMs = 15_000 }: SearchWebOptions = {}): Tool {
  return tool({
    name: 'searchWeb',
    description:
      'Searches the web and returns titles, addresses and short snippets. Read a page (fetchPage) before you rely on what a snippet says.',
    input: z.object({
      query: z.string().trim().min(1).max(400).describe('A few telling words.'),
      limit: z.int().min(1).max(20).default(5).describe('How many results to return.'),
    }),
    effect: 'read',
    timeoutMs: timeoutMs + graceMs,
    run: async ({ query, limit }, { signal }) => {
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const results = await provider.search(query, { limit, signal: AbortSignal.any([signal, deadline]) });
        return shownResults(query, provider.name, results.slice(0, limit));
      } catch (error) {
        signal.throwIfAborted();
        if (!deadline.aborted) throw error;
        throw new SearchError(
          'unavailable',
          `${provider.name} did not answer within ${timeoutMs} ms; try again later or use another provider`,
        );
      }
    },
    touches: () => ({ hosts: provider.hosts ?? [] }),
  });
}

const providers = [
  { variable: 'TAVILY_API_KEY', make: () => tavily() },
  { variable: 'EXA_API_KEY', make: () => exa() },
  { variable: 'BRAVE_API_KEY', make: () => brave() },
  { variable: 'SEARXNG_URL', make: () => searxng() },
];

function providerOfEnvironment(): SearchProvider {
  const found = providers.find(({ variable }) => process.env[variable]);
  if (found) return found.make();
  const names = providers.map(({ variable }) => variable).join(', ');
  throw new UsageError(`searchWeb: no search service is configured; set one of ${names}, or pass a provider`);
}

function shownResults(query: string, provider: string, results: readonly SearchResult[]): string {
  if (results.length === 0) return `${provider} found nothing for "${query}": try fewer or other words.`;
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  const entries = results.map(({ title, url, snippet, published }, index) => {
    const said = line(snippet, longest.snippet);
    const date = published === undefined ? '' : `Published ${line(published, longest.published)}. `;
    const lines = [`${index + 1}. ${line(title, longest.title) || '(no title)'}`, `   ${line(url, longest.url)}`];
    return [...lines, ...(date + said === '' ? [] : [`   ${date}${said}`])].join('\n');
  });
  return [`${count} for "${query}" (${provider}):`, ...entries].join('\n\n');
}

/** On one line, so that no text of a stranger can pass for a result of its own. */
function line(text: string, most: number): string {
  const flat = withoutImages(text.replace(/\s+/g, ' ').trim());
  return flat.length <= most ? flat : `${flat.slice(0, most - 1).toWellFormed()}…`;
}
