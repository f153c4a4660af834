/** The port of web search: one service that finds pages. */

export interface SearchResult {
  title: string;
  /** An absolute http or https address. */
  url: string;
  /** What the service shows of the page; may be empty. */
  snippet: string;
  /** When the page was published, as the service writes it. */
  published?: string;
}

export interface SearchProvider {
  readonly name: string;
  /** The hosts it asks, for rules by host. */
  readonly hosts?: readonly string[];
  /**
   * The best results first, at most `limit`. An empty list only when the service really answered with a list that is empty; rejects
   * with `SearchError` for everything else, and with the reason of the signal when aborted. No message holds a key.
   */
  search(query: string, options: { limit: number; signal: AbortSignal }): Promise<SearchResult[]>;
}

/**
 * Why there is no list of results.
 *
 * `no-access`: the key is wrong, or the service does not offer what is asked. `quota`: the plan is used up. `rate-limited`: too many requests just now. `blocked`: the
 * service answered with a challenge or block page. `refused`: it does not accept the query. `unavailable`: it failed or could not be
 * reached. `bad-response`: its answer is no list of results.
 */
export type SearchFault =
  | 'no-access'
  | 'quota'
  | 'rate-limited'
  | 'blocked'
  | 'refused'
  | 'unavailable'
  | 'bad-response';

/** A search that gave no list of results: what happened and the remedy. */
export class SearchError extends Error {
  override readonly name = 'SearchError';
  readonly fault: SearchFault;
  constructor(fault: SearchFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
