import { UsageError } from '../../../core/errors.ts';
import type { Effect, Touched } from '../../tool.ts';
import { type AllowedApi, type AllowedPlace, allowedPlaces } from './allow-list.ts';
import type { ApiRequest, ClientOptions, Method } from './request.ts';

/** Methods that have an effect. */
export type SendMethod = Exclude<Method, 'GET' | 'HEAD'>;

export interface HttpOptions {
  /** The APIs that may be called: an origin, or one with a path below which everything is meant. */
  allow: readonly (string | AllowedApi)[];
  /** What a method that sends counts as; `false`: it is not offered. Default: `write` for each. */
  methods?: Partial<Record<SendMethod, Exclude<Effect, 'read'> | false>>;
  /** For one call, redirects included. Default 20,000. */
  timeoutMs?: number;
  /** Of the body of an answer; the rest is not read. Default 100,000. */
  maxBytes?: number;
}

/** The executor's own limit comes later, so that the error of the tool is the one that is seen. */
const graceMs = 5_000;

/** What the tools of `http` and `openApi` have in common. */
export class ApiClient {
  readonly places: readonly AllowedPlace[];
  readonly toolTimeoutMs: number;
  readonly #methods: HttpOptions['methods'];
  readonly #options: ClientOptions;

  /** Throws `UsageError` for an entry or a limit that cannot be meant. */
  constructor({ allow, methods, timeoutMs = 20_000, maxBytes = 100_000 }: HttpOptions) {
    if (!(timeoutMs > 0 && maxBytes > 0)) throw new UsageError('timeoutMs and maxBytes have to be more than 0');
    this.places = allowedPlaces(allow);
    this.toolTimeoutMs = timeoutMs + graceMs;
    this.#methods = methods;
    this.#options = { places: this.places, timeoutMs, maxBytes };
  }

  /** Undefined for a method that is not offered. */
  effectOf(method: Method): Effect | undefined {
    if (method === 'GET' || method === 'HEAD') return 'read';
    return (this.#methods?.[method] ?? 'write') || undefined;
  }

  /** The answer as text. Rejects for a refused URL, a failed request and a status that is an error. */
  async call(request: ApiRequest, signal: AbortSignal): Promise<string> {
    // The network code is loaded by the first call, not by the start of the program.
    const [{ sendRequest }, { responseText }] = await Promise.all([
      import('./request.ts'),
      import('./response-text.ts'),
    ]);
    return responseText(await sendRequest(request, this.#options, signal), this.places);
  }
}

/** The host of a URL for rules; nothing for what is no URL, which the call refuses. */
export function touchedBy(url: string): Touched {
  const host = URL.parse(url)?.hostname;
  return host ? { hosts: [host] } : {};
}
