/**
 * Who may send a request at all.
 *
 * 1. Without tokens the server answers to loopback names only (DNS rebinding), and to no page of another origin (CSRF).
 * 2. A request that changes something and comes from another origin's page is refused, tokens or not, unless the origin is configured.
 * 3. A missing, unknown, wrong and expired token are answered alike.
 */
import { hostOf, isLoopback } from './loopback.ts';
import { Problem } from './problem.ts';
import { RateLimiter } from './rate-limiter.ts';
import { defaultTenant, type ServerLimits, type ServerOptions } from './server-options.ts';
import { authenticate, type Principal, type Scope, scopes } from './tokens.ts';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Of what a token may send, so many times less comes through from an address without a valid one. */
const strangerShare = 10;

export class Guard {
  readonly #auth: ServerOptions['auth'];
  readonly #origins: readonly string[];
  readonly #requests: Map<number, RateLimiter> = new Map();
  readonly #strangers: RateLimiter;
  readonly #perMinute: number;
  /** Whoever sends a request from this machine to a server without tokens. */
  readonly #local: Principal;

  constructor(
    options: Pick<ServerOptions, 'auth' | 'cors' | 'localScopes'>,
    limits: Pick<ServerLimits, 'requestsPerMinute'>,
  ) {
    this.#auth = options.auth;
    this.#local = { id: '', tenant: defaultTenant, scopes: options.localScopes ?? scopes };
    this.#origins = options.cors?.origins ?? [];
    this.#perMinute = limits.requestsPerMinute;
    this.#strangers = new RateLimiter({ perMinute: limits.requestsPerMinute / strangerShare });
  }

  /** Throws a `Problem` (403) for a request that a foreign page or a rebound name may have made. */
  checkOrigin(request: Request): void {
    const host = hostOf(request.headers.get('host') ?? new URL(request.url).host);
    if (!this.#auth && (host === undefined || !isLoopback(host))) {
      throw foreign(
        'The Host header names no loopback address.',
        'Use http://127.0.0.1, or run the server with tokens.',
      );
    }
    const origin = request.headers.get('origin');
    const site = request.headers.get('sec-fetch-site');
    if (origin === null) {
      if (site !== 'cross-site' || safeMethods.has(request.method)) return;
      throw foreign('It comes from a page of another site.', allowed);
    }
    if (this.allows(origin)) return;
    const sameHost = URL.canParse(origin) && new URL(origin).host === request.headers.get('host');
    const trusted = this.#auth ? sameHost : URL.canParse(origin) && isLoopback(new URL(origin).hostname);
    if (trusted || (this.#auth && safeMethods.has(request.method))) return;
    throw foreign(`It comes from a page of the origin '${origin.slice(0, 100)}'.`, allowed);
  }

  /** Whether pages of this origin may use the server. */
  allows(origin: string): boolean {
    return this.#origins.includes(origin);
  }

  /** Who sends it. Throws a `Problem`: 401, or 429 when it comes too often. `address` is where from, if that is known. */
  async identify(request: Request, address: string): Promise<Principal> {
    if (!this.#auth) return this.#within(this.#local);
    const principal = await this.#principal(request);
    if (principal) return this.#within(principal);
    const wait = this.#strangers.take(address);
    if (wait > 0) throw tooMany(wait);
    throw new Problem({
      status: 401,
      code: 'token',
      title: 'No valid token',
      detail: 'The request carries no bearer token, or one that is unknown, revoked or expired.',
      remedy: 'Send `Authorization: Bearer TOKEN` with a token of `assay tokens create`.',
      headers: { 'www-authenticate': 'Bearer realm="assay"' },
    });
  }

  async #principal(request: Request): Promise<Principal | undefined> {
    const auth = this.#auth;
    if (!auth) return undefined;
    if ('authenticate' in auth) return auth.authenticate(request);
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    return token === undefined ? undefined : authenticate(auth.tokens, token);
  }

  #within(principal: Principal): Principal {
    const perMinute = principal.requestsPerMinute ?? this.#perMinute;
    const limiter = this.#requests.get(perMinute) ?? new RateLimiter({ perMinute });
    this.#requests.set(perMinute, limiter);
    const wait = limiter.take(principal.id);
    if (wait > 0) throw tooMany(wait);
    return principal;
  }
}

/** Throws a `Problem` (403) unless the principal has the scope. */
export function assertScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.includes(scope)) return;
  throw new Problem({
    status: 403,
    code: 'scope',
    title: 'The token does not allow it',
    detail: `This needs a token with the scope '${scope}'; this one has: ${principal.scopes.join(', ')}.`,
    remedy: `Use a token that was created with the scope '${scope}'.`,
  });
}

const allowed = 'Name the origin in `cors.origins` if its pages are meant to use the server.';

function foreign(why: string, remedy: string): Problem {
  const title = 'The request was refused';
  return new Problem({ status: 403, code: 'origin', title, detail: `The request was refused. ${why}`, remedy });
}

function tooMany(waitMs: number): Problem {
  return new Problem({
    status: 429,
    code: 'rate',
    title: 'Too many requests',
    detail: 'More requests came than are taken in a minute.',
    remedy: 'Send the request again after the time in Retry-After.',
    retryAfter: waitMs / 1_000,
  });
}
