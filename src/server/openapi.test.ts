import { expect, test } from 'vitest';
import { Admission } from './admission.ts';
import { chatMounts } from './chat-mount.ts';
import { openApiDocument } from './openapi.ts';
import { route } from './route.ts';
import { operationRoutes } from './routes/operation-routes.ts';
import { RunBody, RunsQuery, RunView } from './schemas.ts';
import { serverMetrics } from './server-metrics.ts';

interface Operation {
  operationId: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: { 'application/json': { schema: { required: string[]; additionalProperties: boolean } } } };
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}

const gauges = { live: () => 0, queued: () => 0, streams: () => 0 };
const routes = [
  route({
    method: 'post',
    path: '/v1/things/:id',
    operation: 'doThing',
    summary: 'Does it',
    scope: 'run',
    query: RunsQuery,
    body: RunBody,
    headers: { prefer: 'wait' },
    responses: { 200: { description: 'Done', schema: RunView } },
    handle: () => new Response(),
  }),
  ...operationRoutes({
    admission: new Admission({ live: 1, queue: 1, queueMs: 1 }),
    metrics: serverMetrics(gauges),
    openApi: () => ({}),
  }),
];
const mounts = chatMounts({ maxBodyBytes: 1 });

test('the document says of each route what the route validates', () => {
  // What was written as JSON is read as JSON.
  const document = JSON.parse(JSON.stringify(openApiDocument(routes, { guarded: true, mounts })));
  expect(document.openapi).toBe('3.1.0');
  const { post }: { post: Operation } = document.paths['/v1/things/{id}'];
  expect(post.parameters.map((one) => [one.in, one.name, one.required])).toEqual([
    ['path', 'id', true],
    ['query', 'status', false],
    ['query', 'agent', false],
    ['query', 'search', false],
    ['query', 'after', false],
    ['query', 'limit', false],
    ['header', 'prefer', false],
  ]);
  expect(post.requestBody?.content['application/json'].schema).toMatchObject({
    required: ['task'],
    additionalProperties: false,
  });
  expect(Object.keys(post.responses)).toEqual(['200', 'default']);
  expect(post.security).toEqual([{ token: [] }]);
  expect(document.paths['/healthz'].get.security).toEqual([]);
  expect(document.paths['/v1/chat/completions'].post.security).toEqual([{ token: [] }]);
  const ids = Object.values<Record<string, Operation>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('every reference in the document leads somewhere, and without tokens none is asked for', () => {
  const text = JSON.stringify(openApiDocument(routes, { guarded: false, mounts }));
  const document = JSON.parse(text);
  const references = [...text.matchAll(/"\$ref":"(#[^"]*)"/g)].map(([, reference = '']) => reference);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((place, key) => Reflect.get(Object(place), key), document);
    expect([reference, found]).not.toEqual([reference, undefined]);
  }
  expect(document.components.securitySchemes).toBeUndefined();
});
