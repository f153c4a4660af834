/** The OpenAPI 3.1 document of the routes: made from the schemas that validate the requests, so it cannot say anything else. */
import * as z from 'zod';
import type { Mount } from './mount.ts';
import type { Route, RouteResponse } from './route.ts';
import { ProblemView } from './schemas.ts';

export interface OpenApiOptions {
  /** Whether requests need a token. */
  guarded: boolean;
  /** Their own protocols say what they take and give. */
  mounts: readonly Mount[];
}

/** The document. Its version is the API's, not the package's. */
export function openApiDocument(routes: readonly Route[], options: OpenApiOptions): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, options.guarded) };
  }
  for (const mount of options.mounts) paths[mount.path] = mounted(mount, options.guarded);
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Assay',
      version: '1.0.0',
      description: 'Runs of an agent: start, follow, approve, resume, fork. Errors are problems (RFC 9457).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: schemaOf(ProblemView, 'output') },
      ...(options.guarded && { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } }),
    },
  };
}

function mounted({ methods, path, summary, scope }: Mount, guarded: boolean): Record<string, unknown> {
  return Object.fromEntries(
    methods.map((method) => [
      method.toLowerCase(),
      {
        operationId: `${method.toLowerCase()}${path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        summary,
        security: guarded ? [{ token: [] }] : [],
        ...(guarded && { description: needs(scope) }),
        responses: { default: { description: 'As its protocol says' } },
      },
    ]),
  );
}

function needs(scope: string): string {
  return `Needs a token with the scope \`${scope}\`.`;
}

function operation(route: Route, guarded: boolean): unknown {
  const { operation: operationId, summary, scope, body } = route;
  const needsToken = guarded && scope !== 'open';
  return {
    operationId,
    summary,
    ...(needsToken && { description: needs(scope) }),
    security: needsToken ? [{ token: [] }] : [],
    parameters: [...pathParameters(route.path), ...queryParameters(route.query), ...headerParameters(route.headers)],
    ...(body && { requestBody: { content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(route.responses).map(([status, answer]) => [status, response(answer)])),
      default: {
        description: 'What happened, why, and the remedy',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function response({ description, schema, types = schema ? ['application/json'] : [] }: RouteResponse): unknown {
  const shape = schema ? schemaOf(schema, 'output') : {};
  const content = Object.fromEntries(types.map((type) => [type, { schema: type.endsWith('json') ? shape : {} }]));
  return { description, ...(types.length > 0 && { content }) };
}

function pathParameters(path: string): unknown[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType | undefined): unknown[] {
  const { properties, required } = query ? schemaOf(query, 'input') : {};
  const names = Array.isArray(required) ? required : [];
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: names.includes(name),
    schema,
  }));
}

function headerParameters(headers: Route['headers'] = {}): unknown[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): { [key: string]: unknown } {
  const { $schema: _dialect, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  });
  return shape;
}
