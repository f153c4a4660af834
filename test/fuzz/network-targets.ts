/** Tools that talk to other programs: servers on 127.0.0.1, and a child process. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { fetchPage } from '../../src/tools/builtin/fetch-page.ts';
import { http } from '../../src/tools/builtin/http.ts';
import { mcp, memoryPins } from '../../src/tools/builtin/mcp.ts';
import { openApi } from '../../src/tools/builtin/open-api.ts';
import { searxng } from '../../src/tools/builtin/search-web/searxng.ts';
import { searchWeb } from '../../src/tools/builtin/search-web.ts';
import { hostileText } from './hostile-arguments.ts';
import { type Scene, Violation } from './scene.ts';
import type { Made, Target } from './target.ts';

export const networkTargets: readonly Target[] = [
  { name: 'fetchPage', limitMs: 30_000, executed: 200, make: fetchTarget },
  { name: 'searchWeb', limitMs: 30_000, make: searchTarget },
  { name: 'http', limitMs: 30_000, make: httpTarget },
  { name: 'openApi', limitMs: 30_000, make: openApiTarget },
  { name: 'mcp', limitMs: 20_000, executed: 100, make: mcpTarget },
];

/** A server on a port of the system's choice. */
async function serve(listener: RequestListener): Promise<{ at: string; close(): void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function fetchTarget(): Promise<Made> {
  const bodies = ['plain', '<!doctype html><p>page</p>', '{"a":1}', '<a>'.repeat(20_000), '\0\x01', ''];
  const types = ['text/plain', 'text/html; charset=utf-8', 'application/json', 'image/png', 'application/pdf', ''];
  const { at, close } = await serve((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const n = Number(url.pathname.slice(1)) || 0;
    if (n % 7 === 6) response.writeHead(302, { location: url.search.slice(1) || '/1' }).end();
    else response.writeHead(200, { 'content-type': types[n % types.length] }).end(bodies[n % bodies.length]);
  });
  const page = fc.tuple(fc.nat(40), hostileText).map(([n, text]) => `http://${at}/${n}?${encoded(text)}`);
  return {
    tools: [fetchPage({ allow: [at], timeoutMs: 5_000 })],
    dictionary: { url: fc.oneof({ weight: 3, arbitrary: page }, fc.webUrl(), hostileText) },
    close,
  };
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Answers what was asked, as a hostile service may: as text of results, as no JSON, as an error. */
async function searchTarget(): Promise<Made> {
  const { at, close } = await serve((request, response) => {
    const query = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('q') ?? '';
    const said = { title: query, content: `${query}\n2. another`, publishedDate: query };
    const results = [query, 'https://example.com/'].map((url) => ({ ...said, url }));
    const answers = [
      JSON.stringify({ results }),
      JSON.stringify({ results }),
      JSON.stringify({ results: query }),
      query,
    ];
    response.writeHead([200, 200, 200, 200, 429, 500][query.length % 6] ?? 200, { 'content-type': 'application/json' });
    response.end(answers[query.length % 4]);
  });
  return {
    tools: [searchWeb({ provider: searxng({ url: `http://${at}` }), timeoutMs: 5_000 })],
    dictionary: {},
    close,
  };
}

/** An API below `/api`: it keeps every request that is none of it, and shows the credentials it was sent. */
async function api(): Promise<{ at: string; check(): void; close(): void }> {
  const strayed: string[] = [];
  const { at, close } = await serve((request, response) => {
    if (!request.url?.startsWith('/api/')) strayed.push(request.url ?? '');
    const redirects = request.url?.startsWith('/api/away') ?? false;
    request.resume().on('end', () => {
      response.writeHead(redirects ? 302 : 200, { 'content-type': 'application/json', location: '/other' });
      response.end(JSON.stringify({ sent: request.headers, url: request.url }));
    });
  });
  const check = () => {
    const [url] = strayed.splice(0);
    if (url !== undefined) throw new Violation(`escape: ${url} was requested, which is not allowed`);
  };
  return { at, check, close };
}

async function httpTarget(scene: Scene): Promise<Made> {
  const { at, check, close } = await api();
  const base = `http://${at}/api`;
  const places = ['items', 'away', '../other', '%2e%2e/other', '..%2fother', '//other', '/\\other', '?q=1', '#x', ''];
  const url = fc
    .tuple(fc.constantFrom(...places), hostileText)
    .map(([place, text]) => `${base}/${place}${encoded(text)}`);
  const evil = fc.constantFrom(
    `http://${at}/other`,
    `http://${at}@192.0.2.1/api/`,
    `http://192.0.2.1/api/`,
    `${base}.evil/x`,
  );
  return {
    tools: http({
      allow: [{ url: base, private: true, headers: { authorization: `Bearer ${scene.canary}` } }],
      methods: { DELETE: 'irreversible' },
      timeoutMs: 5_000,
    }),
    dictionary: { url: fc.oneof({ weight: 3, arbitrary: url }, evil, hostileText), headers: fc.constant({}) },
    check,
    close,
  };
}

async function openApiTarget(scene: Scene): Promise<Made> {
  const { at, check, close } = await api();
  const text = { type: 'string' };
  const parameters = [
    { name: 'id', in: 'path', required: true, schema: text },
    { name: 'q', in: 'query', schema: { type: 'array', items: text } },
  ];
  const tools = await openApi(
    {
      openapi: '3.1.0',
      info: { title: 'Items', version: '1' },
      servers: [{ url: `http://${at}/api` }],
      paths: { '/items/{id}/parts': { get: { operationId: 'partsOf', parameters, responses: {} } } },
    },
    {
      allow: [{ url: `http://${at}/api`, private: true, headers: { authorization: `Bearer ${scene.canary}` } }],
      timeoutMs: 5_000,
    },
  );
  const ids = fc.constantFrom('1', '..', '../..', '%2e%2e', 'a/../..', '.', '?x', '#', '%2F', 'é', '');
  return { tools, dictionary: { id: fc.oneof(ids, hostileText) }, check, close };
}

async function mcpTarget(): Promise<Made> {
  const server = path.resolve(
    import.meta.dirname,
    '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
  );
  const tools = await mcp({
    name: 'every',
    command: process.execPath,
    args: [server],
    timeoutMs: 5_000,
    include: ['echo', 'get-sum', 'get-annotated-message'],
    pins: memoryPins(),
    onWarning: () => undefined,
  });
  const close = async () => {
    for (const tool of tools) await tool.close?.();
  };
  return { tools, dictionary: {}, close };
}
