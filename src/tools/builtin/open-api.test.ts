import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonSchema } from '../../core/json.ts';
import type { StepContext } from '../../core/step.ts';
import { type Tool, toolSpec } from '../tool.ts';
import { SchemaTranslation } from './open-api/schemas.ts';
import { type OpenApiOptions, openApi } from './open-api.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-open-api-'));
let server: Server;
let base: string;
let requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];

beforeEach(async () => {
  requests = [];
  server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body: await text(request) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  // A TCP server has an AddressInfo.
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((settle) => server.close(settle));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function document(): JsonSchema {
  return {
    openapi: '3.0.3',
    servers: [{ url: `${base}/{version}`, variables: { version: { default: 'v2' } } }],
    paths: {
      '/berths/{berth id}': {
        parameters: [{ name: 'berth id', in: 'path', required: true, schema: { type: 'string' } }],
        get: {
          operationId: 'berths/get one',
          summary: 'One berth',
          description: `Reads a berth.\n${'x'.repeat(2_000)}`,
          parameters: [
            { $ref: '#/components/parameters/Fields' },
            { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
            { name: 'near', in: 'query', explode: false, schema: { type: 'array', items: { type: 'number' } } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
            { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
          ],
        },
        delete: { responses: {} },
      },
      '/berths': {
        post: {
          operationId: 'addBerth',
          parameters: [{ name: 'body', in: 'query', schema: { type: 'boolean' } }],
          requestBody: { $ref: '#/components/requestBodies/Berth' },
        },
        put: {
          operationId: 'uploadBerths',
          requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } },
        },
      },
      '/session': {
        get: {
          operationId: 'session',
          parameters: [{ name: 'sid', in: 'cookie', required: true, schema: { type: 'string' } }],
        },
      },
      '/elsewhere': { servers: [{ url: 'https://elsewhere.example' }], get: { operationId: 'elsewhere' } },
    },
    components: {
      parameters: {
        Fields: {
          name: 'fields',
          in: 'query',
          description: 'Which',
          schema: { type: 'array', items: { type: 'string' } },
        },
      },
      requestBodies: {
        Berth: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Berth' } } } },
      },
      schemas: {
        Berth: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'integer', readOnly: true },
            name: { type: 'string', minLength: 1 },
            note: { type: 'string', nullable: true },
            neighbours: { type: 'array', items: { $ref: '#/components/schemas/Berth' } },
          },
          additionalProperties: false,
        },
      },
    },
  };
}

const options = (more: Partial<OpenApiOptions> = {}): OpenApiOptions => ({
  allow: [{ url: `${base}/v2`, private: true, headers: { authorization: 'Bearer our-token' } }],
  ...more,
});

function context(): StepContext {
  return { idempotencyKey: 'key-5', attempt: 1, signal: new AbortController().signal };
}

async function call(tools: readonly Tool[], name: string, args: object): Promise<string> {
  const found = tools.find((tool) => tool.name === name)!;
  return String(await found.run(found.input.parse(args), context()));
}

describe('openApi', () => {
  it('makes a tool of each operation it can call, with a name, an effect and a short description', async () => {
    const tools = await openApi(document(), options({ methods: { DELETE: 'irreversible' } }));
    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['berths_get_one', 'read'],
      ['delete_berths_berth_id', 'irreversible'],
      ['addBerth', 'write'],
    ]);
    expect(tools[0]!.description).toMatch(/^GET \/berths\/\{berth id\}: One berth — Reads a berth\. x+…$/);
    expect(tools[0]!.description.length).toBeLessThanOrEqual(600);
    expect(tools[0]!.touches!({})).toEqual({ hosts: ['127.0.0.1'] });
  });

  it('puts arguments where the document says, with the headers of the user', async () => {
    const tools = await openApi(document(), options());
    const args = { berth_id: 'A/1 ø', fields: ['a&b', 'c'], filter: { size: 4 }, near: [1.5, 2], 'X-Trace': 'tøm' };
    expect(await call(tools, 'berths_get_one', args)).toContain('{"ok":true}');
    expect(requests[0]).toMatchObject({
      method: 'GET',
      url: '/v2/berths/A%2F1%20%C3%B8?fields=a%26b&fields=c&filter%5Bsize%5D=4&near=1.5,2',
      headers: { authorization: 'Bearer our-token', 'x-trace': 't%C3%B8m' },
    });
    expect(requests[0]!.headers).not.toHaveProperty('idempotency-key');
  });

  it('sends a JSON body that fits the schema, through references and cycles', async () => {
    const tools = await openApi(document(), options());
    const body = { name: 'North', note: null, neighbours: [{ name: 'South', neighbours: [] }] };
    await call(tools, 'addBerth', { body, body_query: true });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/v2/berths?body=true',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-5' },
    });
    expect(JSON.parse(requests[0]!.body)).toEqual(body);
    const { input } = tools[2]!;
    const refused = [
      {},
      { body: {} },
      { body: { name: '' } },
      { body: { name: 'x', id: 1 } },
      { body: { name: 'x', neighbours: [{}] } },
      { body, more: 1 },
    ];
    for (const args of refused) expect(input.safeParse(args).success, JSON.stringify(args)).toBe(false);
    expect(toolSpec(tools[2]!).inputSchema.$defs).toHaveProperty('Berth');
  });

  it('lets no argument lead to another path', async () => {
    const tools = await openApi(document(), options());
    for (const value of [
      '..',
      '.',
      '../admin',
      '..%2Fadmin',
      '%2e%2e',
      '%252e%252e%252fadmin',
      '..\\admin',
      'a/../../admin',
      '..;x',
      '\0',
      '',
    ]) {
      await expect(call(tools, 'delete_berths_berth_id', { berth_id: value }), value).rejects.toThrow(/path/);
    }
    expect(requests).toEqual([]);
    await call(tools, 'delete_berths_berth_id', { berth_id: 'a?x=1#..' });
    expect(requests[0]!.url).toBe('/v2/berths/a%3Fx%3D1%23..');
  });

  it('reads JSON and YAML files', async () => {
    for (const [name, content] of [
      ['api.json', JSON.stringify(document())],
      ['api.yaml', stringify(document())],
    ] as const) {
      writeFileSync(path.join(folder, name), content);
      expect(await openApi(path.join(folder, name), options())).toHaveLength(3);
    }
    writeFileSync(path.join(folder, 'bad.yaml'), 'a: [');
    await expect(openApi(path.join(folder, 'bad.yaml'), options())).rejects.toThrow('neither JSON nor YAML');
    await expect(openApi(path.join(folder, 'none.json'), options())).rejects.toThrow('cannot be read');
  });

  it('keeps to the chosen operations and says why one cannot be a tool', async () => {
    const chosen = await openApi(document(), options({ operations: ['POST /berths', 'berths/get one'] }));
    expect(chosen.map(({ name }) => name)).toEqual(['addBerth', 'berths_get_one']);
    const reasons = {
      uploadBerths: 'only JSON can be sent',
      session: 'is in cookie',
      elsewhere: 'not in "allow"',
      other: 'has no "other"',
    };
    for (const [name, reason] of Object.entries(reasons)) {
      await expect(openApi(document(), options({ operations: [name] }))).rejects.toThrow(reason);
    }
    const noPost = options({ operations: ['addBerth'], methods: { POST: false } });
    await expect(openApi(document(), noPost)).rejects.toThrow('takes POST away');
  });

  it('goes to no server outside the allow list, and to another one when told', async () => {
    const elsewhere = { ...document(), servers: [{ url: 'https://evil.example/v2' }] };
    await expect(openApi(elsewhere, options())).rejects.toThrow('not in "allow"');
    const tools = await openApi({ ...document(), servers: [{ url: '/v2' }] }, options({ server: `${base}/v2/` }));
    await call(tools, 'berths_get_one', { berth_id: '7' });
    expect(requests[0]!.url).toBe('/v2/berths/7');
  });

  it('refuses documents that cannot be used', async () => {
    await expect(openApi({ swagger: '2.0' }, options())).rejects.toThrow('no OpenAPI 3.0 or 3.1');
    const remote = document();
    remote['components'] = { requestBodies: { Berth: { $ref: 'other.yaml#/x' } } };
    await expect(openApi(remote, options())).rejects.toThrow('bundle it into one file');
    const circle = document();
    circle['components'] = { parameters: { Fields: { $ref: '#/components/parameters/Fields' } } };
    await expect(openApi(circle, options())).rejects.toThrow('in a circle');
    const many = document();
    many['paths'] = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`/a${index}`, { get: {} }]));
    await expect(openApi(many, options())).rejects.toThrow('101 operations');
  });

  it('shows a large schema only as deep as fits, and accepts anything below', async () => {
    const large = (levels: number): JsonSchema =>
      levels === 0
        ? { type: 'string' }
        : {
            type: 'object',
            properties: Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`p${index}`, large(levels - 1)])),
          };
    const post = { operationId: 'big', requestBody: { content: { 'application/json': { schema: large(5) } } } };
    const [big] = await openApi({ ...document(), paths: { '/big': { post } } }, options());
    expect(JSON.stringify(toolSpec(big!).inputSchema).length).toBeLessThanOrEqual(8_000);
    expect(big!.input.safeParse({ body: { p0: { p1: { p2: 'anything' } } } }).success).toBe(true);
    expect(big!.input.safeParse({ body: { p0: 'none' } }).success).toBe(false);
  });

  it('gives names that are short and never the same', async () => {
    const long = `list ${'very '.repeat(20)}long`;
    const same = {
      ...document(),
      paths: {
        '/a': { get: { operationId: long } },
        '/b': { get: { operationId: `${long}!` } },
        '/c': { get: { operationId: '名' } },
      },
    };
    const names = (await openApi(same, options())).map(({ name }) => name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });
});

describe('SchemaTranslation', () => {
  const translate = (schema: JsonSchema): JsonSchema => new SchemaTranslation({}, 10).translate(schema);

  it('writes what 3.0 says in its own words as JSON Schema', () => {
    expect(
      translate({ type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }),
    ).toEqual({
      type: 'number',
      exclusiveMinimum: 1,
      maximum: 9,
    });
    expect(translate({ type: 'string', nullable: true, enum: ['a'] })).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    });
    expect(translate({ oneOf: [{ type: 'string' }], nullable: true })).toEqual({
      anyOf: [{ anyOf: [{ type: 'string' }] }, { type: 'null' }],
    });
  });

  it('takes 3.1 as it is, and tells a pattern without running it', () => {
    expect(translate({ type: ['string', 'null'], pattern: '^(a+)+$', description: 'A code.' })).toEqual({
      type: ['string', 'null'],
      description: 'A code. Pattern: ^(a+)+$',
    });
    expect(translate({ type: 'number', exclusiveMinimum: 0 })).toEqual({ type: 'number', exclusiveMinimum: 0 });
    expect(translate({ anyOf: [{ type: 'string' }], oneOf: [{ maxLength: 2 }] })).toEqual({
      anyOf: [{ type: 'string' }],
      allOf: [{ anyOf: [{ maxLength: 2 }] }],
    });
  });
});
