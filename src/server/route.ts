import type * as z from 'zod';
import type { Principal, Scope } from './tokens.ts';

/** A request that was let in, with its parts validated. */
export interface Asked<Query = unknown, Body = unknown> {
  request: Request;
  principal: Principal;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
}

export interface RouteResponse {
  description: string;
  schema?: z.ZodType;
  /** Default `application/json` where there is a schema, which is that of the JSON. */
  types?: readonly string[];
}

/** One operation: what it validates, what it does and what the OpenAPI document says of it. */
export interface RouteOptions<Query, Body> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters as `:name`. */
  path: string;
  /** `operationId`. */
  operation: string;
  summary: string;
  /** What a token needs; `open` needs none. */
  scope: Scope | 'open';
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Headers it reads. */
  headers?: Readonly<Record<string, string>>;
  responses: Readonly<Record<number, RouteResponse>>;
  handle(asked: Asked<Query, Body>): Response | Promise<Response>;
}

export interface Route extends Omit<RouteOptions<unknown, unknown>, 'query' | 'body' | 'handle'> {
  query?: z.ZodType;
  body?: z.ZodType;
  handle(asked: Asked): Response | Promise<Response>;
}

/** A route whose handler is given what its own schemas let through. */
export function route<Query = unknown, Body = unknown>(options: RouteOptions<Query, Body>): Route {
  // The server parses query and body with these very schemas before it calls the handler.
  return { ...options, handle: (asked) => options.handle(asked as Asked<Query, Body>) };
}

/** A JSON response. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });
}
