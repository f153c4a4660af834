/** The way of every request: origin, token, rate, route, scope, query, body, handler; and what is on every response. */
import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import { assertScope, type Guard } from './guard.ts';
import { type Mount, type MountServices, mountContext } from './mount.ts';
import { type Page, pageHeaders } from './page.ts';
import { notFound, Problem, problemOf } from './problem.ts';
import { bodyText, parsedBody } from './request-body.ts';
import type { Route } from './route.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { ServerLimits } from './server-options.ts';
import type { Principal } from './tokens.ts';

export interface DispatcherOptions {
  guard: Guard;
  limits: ServerLimits;
  metrics: ServerMetrics;
  onError(error: unknown): void;
}

interface Answering {
  /** The label of the route in the figures. */
  label: string;
  work(request: Request): Promise<Response>;
  /** In place of those that are on every response. */
  headers?: Readonly<Record<string, string>> | undefined;
  refuse?: ((error: unknown) => Response | Promise<Response>) | undefined;
}

/** No page frames, sniffs, stores or embeds what the server answers. */
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
} as const;

export class Dispatcher {
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  mountRoutes(app: Hono, routes: readonly Route[]): void {
    for (const route of routes) {
      app.on(route.method.toUpperCase(), route.path, (context) =>
        this.#answer(context, { label: route.path, work: (request) => this.#run(route, request, context) }),
      );
    }
    for (const [path, ways] of Map.groupBy(routes, ({ path: where }) => where)) {
      this.#refuseOthers(
        app,
        path,
        ways.map(({ method }) => method.toUpperCase()),
      );
    }
  }

  mount(app: Hono, mount: Mount, services: MountServices): void {
    app.on([...mount.methods], mount.path, (context) =>
      this.#answer(context, {
        label: mount.path,
        refuse: mount.refuse,
        work: async (request) => {
          const principal = await this.#principal(request, context);
          assertScope(principal, mount.scope);
          const text = await bodyText(request, this.#options.limits);
          return mount.handle(withBody(request, text), mountContext(principal, services));
        },
      }),
    );
    this.#refuseOthers(app, mount.path, mount.methods);
  }

  /** The files of a page, which hold nothing of anybody's, need no token. `base` is where it is, without a slash at its end. */
  mountPage(root: Hono, page: Page, base: string): void {
    const serve = (path: string, work: Answering['work']): void => {
      root.get(path, (context) => this.#answer(context, { label: 'page', work, headers: pageHeaders }));
    };
    for (const address of page.addresses) serve(`${base}${address}`, (request) => page.answer(address, request));
    if (base === '') return;
    // What the page loads it names relative to a folder.
    const location = `${base.slice(base.lastIndexOf('/') + 1)}/`;
    serve(base, async () => new Response(null, { status: 308, headers: { location } }));
  }

  /** What no route is for. Called last. */
  mountRest(app: Hono): void {
    app.notFound((context) =>
      this.#answer(context, {
        label: 'none',
        work: async (request) => {
          await this.#principal(request, context);
          throw notFound('address');
        },
      }),
    );
    app.onError((error) => this.#refusal(error));
  }

  #refuseOthers(app: Hono, path: string, methods: readonly string[]): void {
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.all(path, (context) =>
      this.#answer(context, {
        label: path,
        work: async (request) => {
          if (request.method === 'OPTIONS') return preflight(allow);
          await this.#principal(request, context);
          throw wrongMethod(request.method, allow);
        },
      }),
    );
  }

  async #run(route: Route, request: Request, context: Context): Promise<Response> {
    const { limits } = this.#options;
    const principal = route.scope === 'open' ? stranger : await this.#principal(request, context);
    if (route.scope !== 'open') assertScope(principal, route.scope);
    const query = route.query && validated(route.query, Object.fromEntries(new URL(request.url).searchParams), 'query');
    const text = request.method === 'GET' || request.method === 'HEAD' ? undefined : await bodyText(request, limits);
    const body = route.body && validated(route.body, parsedBody(text), 'body');
    return route.handle({ request, principal, params: context.req.param(), query, body });
  }

  #principal(request: Request, context: Context): Promise<Principal> {
    return this.#options.guard.identify(request, addressOf(context.env));
  }

  async #answer(context: Context, { label, work, refuse, headers }: Answering): Promise<Response> {
    const began = performance.now();
    const request = context.req.raw;
    const response = await this.#attempt(request, work, refuse);
    for (const [name, value] of Object.entries({ ...securityHeaders, ...headers })) response.headers.set(name, value);
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
    const origin = request.headers.get('origin');
    if (origin !== null && this.#options.guard.allows(origin)) shareWith(response.headers, origin);
    const { status } = response;
    const seconds = (performance.now() - began) / 1_000;
    this.#options.metrics.request({ method: known(request.method), route: label, status, seconds });
    return response;
  }

  async #attempt(request: Request, work: Answering['work'], refuse: Answering['refuse']): Promise<Response> {
    try {
      this.#options.guard.checkOrigin(request);
      return await work(request);
    } catch (error) {
      if (problemOf(error).cause !== undefined) this.#options.onError(error);
      return refuse ? refuse(error) : this.#refusal(error);
    }
  }

  #refusal(error: unknown): Response {
    return problemOf(error).toResponse();
  }
}

/** Who asks for what is open to everybody. */
const stranger: Principal = { id: '', tenant: '', scopes: [] };

/** A request of the platform's own class, which node-server's is not: handlers may copy it. */
function withBody(request: Request, text: string | undefined): Request {
  const { method, headers, signal } = request;
  return new Request(request.url, { method, headers, signal, ...(text !== undefined && { body: text }) });
}

function validated(schema: z.ZodType, value: unknown, what: 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, 20).map(({ path, message }) => ({
    pointer: `/${path.map((part) => String(part).replace(/~/g, '~0').replace(/\//g, '~1')).join('/')}`,
    detail: message,
  }));
  throw new Problem({
    status: 422,
    code: what,
    title: `The ${what} does not fit`,
    detail: `The ${what} was refused: ${errors[0]?.pointer}: ${errors[0]?.detail}.`,
    remedy: 'Correct what `errors` names; GET /v1/openapi.json has the shapes.',
    errors,
  });
}

function wrongMethod(method: string, allow: string): Problem {
  return new Problem({
    status: 405,
    code: 'method',
    title: 'No such method here',
    detail: `${known(method)} is nothing that can be done at this address.`,
    remedy: `Use one of: ${allow}.`,
    headers: { allow },
  });
}

function preflight(allow: string): Response {
  return new Response(null, { status: 204, headers: { allow, 'access-control-allow-methods': allow } });
}

function shareWith(headers: Headers, origin: string): void {
  headers.set('access-control-allow-origin', origin);
  headers.append('vary', 'origin');
  headers.set('access-control-allow-headers', 'authorization, content-type, idempotency-key, last-event-id, prefer');
  headers.set('access-control-expose-headers', 'location, retry-after, idempotent-replayed, preference-applied');
  headers.set('cross-origin-resource-policy', 'cross-origin');
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A method for a label and a text: from a fixed set. */
function known(method: string): string {
  return methods.has(method) ? method : 'OTHER';
}

/** The address at the other end, as node-server passes it; '' where nobody passes one. */
function addressOf(connection: unknown): string {
  const incoming: unknown = Reflect.get(Object(connection), 'incoming');
  const socket: unknown = Reflect.get(Object(incoming), 'socket');
  return String(Reflect.get(Object(socket), 'remoteAddress') ?? '');
}
