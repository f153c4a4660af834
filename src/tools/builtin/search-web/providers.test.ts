/** One contract for every search service, against servers on this machine that speak its wire format and refuse what it refuses. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../../core/errors.ts';
import { brave } from './brave.ts';
import { exa } from './exa.ts';
import { SearchError, type SearchFault, type SearchProvider } from './search-provider.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';

const goodKey = 'key-0123456789abcdef';
const open: Server[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((settle) => server.close(settle));
  }
});

async function start(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  open.push(server);
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  // A TCP server has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nobody listens any more. */
async function closedPort(): Promise<string> {
  const url = await start(() => undefined);
  await new Promise((settle) => open.pop()?.close(settle));
  return url;
}

interface Found {
  title: string;
  url: string;
  about: string;
  date?: string;
}

interface Reply {
  status?: number;
  body: unknown;
}

/** What a service answers to a request it understands: these results; or why it does not take the request. */
interface Vendor {
  name: string;
  variable?: string;
  make(baseUrl: string, apiKey: string): SearchProvider;
  answer(request: IncomingMessage, body: string, found: Found[]): Reply;
  /** How it says that the plan is used up, and that there were too many requests. */
  quota?: Reply;
  limited: Reply;
}

function query(request: IncomingMessage): URLSearchParams {
  return new URL(request.url ?? '', 'http://service').searchParams;
}

function path(request: IncomingMessage): string {
  return `${request.method} ${new URL(request.url ?? '', 'http://service').pathname}`;
}

const notFound: Reply = { status: 404, body: { error: 'Not Found' } };

const vendors: Vendor[] = [
  {
    name: 'tavily',
    variable: 'TAVILY_API_KEY',
    make: (baseUrl, apiKey) => tavily({ baseUrl, apiKey }),
    answer: (request, body, found) => {
      if (path(request) !== 'POST /search') return notFound;
      if (request.headers.authorization !== `Bearer ${goodKey}`)
        return { status: 401, body: { detail: { error: 'Unauthorized: missing or invalid API key.' } } };
      const asked = JSON.parse(body);
      if (!asked.query || !(asked.max_results <= 20)) return { status: 400, body: { detail: { error: 'Bad query' } } };
      const results = found.map(({ title, url, about, date }) => ({
        title,
        url,
        content: about,
        score: 0.5,
        raw_content: null,
        ...(date && { published_date: date }),
      }));
      return {
        body: {
          query: asked.query,
          answer: null,
          images: [],
          results: results.slice(0, asked.max_results),
          response_time: 0.5,
        },
      };
    },
    quota: { status: 432, body: { detail: { error: "This request exceeds your plan's set usage limit." } } },
    limited: { status: 429, body: { detail: { error: 'Your request has been blocked due to excessive requests.' } } },
  },
  {
    name: 'exa',
    variable: 'EXA_API_KEY',
    make: (baseUrl, apiKey) => exa({ baseUrl, apiKey }),
    answer: (request, body, found) => {
      if (path(request) !== 'POST /search') return notFound;
      if (request.headers['x-api-key'] !== goodKey)
        return { status: 401, body: { requestId: 'r', error: 'Invalid API key', tag: 'INVALID_API_KEY' } };
      const asked = JSON.parse(body);
      if (!asked.query || asked.contents?.highlights !== true)
        return { status: 400, body: { requestId: 'r', error: 'Invalid request body', tag: 'INVALID_REQUEST_BODY' } };
      const results = found.map(({ title, url, about, date }) => ({
        id: url,
        title,
        url,
        publishedDate: date ?? null,
        author: null,
        highlights: [about],
        highlightScores: [0.5],
      }));
      return { body: { requestId: 'r', results: results.slice(0, asked.numResults), costDollars: { total: 0.005 } } };
    },
    quota: {
      status: 402,
      body: { requestId: 'r', error: 'You have exceeded your credits limit.', tag: 'NO_MORE_CREDITS' },
    },
    limited: { status: 429, body: { error: 'You have exceeded your QPS limit' } },
  },
  {
    name: 'brave',
    variable: 'BRAVE_API_KEY',
    make: (baseUrl, apiKey) => brave({ baseUrl, apiKey }),
    answer: (request, _body, found) => {
      const refusal = (status: number, code: string, detail: string): Reply => ({
        status,
        body: { type: 'ErrorResponse', error: { id: 'x', status, code, detail, meta: {} }, time: 1 },
      });
      if (path(request) !== 'GET /res/v1/web/search') return refusal(404, 'RESOURCE_NOT_FOUND', 'Not found');
      if (request.headers['x-subscription-token'] !== goodKey)
        return refusal(422, 'SUBSCRIPTION_TOKEN_INVALID', 'The provided subscription token is invalid.');
      const count = Number(query(request).get('count'));
      if (!query(request).get('q') || count < 1 || count > 20)
        return refusal(422, 'VALIDATION', 'Unable to validate request parameter(s)');
      const results = found.map(({ title, url, about, date }) => ({
        type: 'search_result',
        url,
        page_age: date,
        title: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
        description: about.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
      }));
      return {
        body: {
          type: 'search',
          query: { original: query(request).get('q') },
          ...(found.length > 0 && { web: { type: 'search', results: results.slice(0, count) } }),
        },
      };
    },
    quota: {
      status: 429,
      body: {
        type: 'ErrorResponse',
        error: { code: 'QUOTA_LIMITED', status: 429, detail: 'Request quota limit exceeded' },
      },
    },
    limited: {
      status: 429,
      body: {
        type: 'ErrorResponse',
        error: { code: 'RATE_LIMITED', status: 429, detail: 'Request rate limit exceeded for plan' },
      },
    },
  },
  {
    name: 'searxng',
    make: (url) => searxng({ url }),
    answer: (request, _body, found) => {
      if (path(request) !== 'GET /search' || query(request).get('format') !== 'json')
        return { status: 403, body: '<!doctype html><title>403 Forbidden</title>' };
      if (!query(request).get('q')) return { status: 400, body: { error: 'No query' } };
      const results = found.map(({ title, url, about, date }) => ({
        title,
        url,
        content: about,
        engine: 'wikipedia',
        publishedDate: date ?? null,
      }));
      return {
        body: { query: query(request).get('q'), number_of_results: 0, results, answers: [], unresponsive_engines: [] },
      };
    },
    limited: { status: 429, body: '<!doctype html><title>429 Too Many Requests</title>' },
  },
];

const pages: Found[] = [
  { title: 'Fares & times', url: 'https://ferry.example/fares', about: 'Adults pay <12 €', date: '2026-02-03' },
  { title: 'Routes', url: 'https://ferry.example/routes?a=1', about: 'Both islands' },
  { title: 'Again', url: 'https://ferry.example/fares', about: 'the same page' },
  { title: 'Odd', url: 'javascript:alert(1)', about: 'no page' },
  { title: 'Third', url: 'https://other.example/', about: '' },
];

describe.each(vendors)('the search provider $name', (vendor) => {
  async function service(found: Found[] = pages): Promise<string> {
    return start(async (request, response) => {
      const { status = 200, body } = vendor.answer(request, await text(request), found);
      const isText = typeof body === 'string';
      response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' });
      response.end(isText ? body : JSON.stringify(body));
    });
  }

  async function serviceThatSays(status: number, headers: Record<string, string>, body: string): Promise<string> {
    return start((_request, response) => response.writeHead(status, headers).end(body));
  }

  function search(baseUrl: string, { key = goodKey, limit = 10, signal = new AbortController().signal } = {}) {
    return vendor.make(baseUrl, key).search('ferry fares', { limit, signal });
  }

  async function faultOf(
    baseUrl: string,
    options: { key?: string } = {},
  ): Promise<{ fault: SearchFault; message: string }> {
    const error = await search(baseUrl, options).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SearchError);
    const { fault, message } = error as SearchError;
    expect(message).toContain(vendor.name);
    expect(message).not.toContain(options.key ?? goodKey);
    return { fault, message };
  }

  it('gives what the service found, each page once and no address that is none', async () => {
    expect(await search(await service())).toEqual([
      {
        title: 'Fares & times',
        url: 'https://ferry.example/fares',
        snippet: 'Adults pay <12 €',
        published: '2026-02-03',
      },
      { title: 'Routes', url: 'https://ferry.example/routes?a=1', snippet: 'Both islands' },
      { title: 'Third', url: 'https://other.example/', snippet: '' },
    ]);
    expect(await search(`${await service()}/`, { limit: 1 })).toHaveLength(1);
    expect(vendor.make('http://127.0.0.1:1', goodKey).hosts).toEqual(['127.0.0.1']);
  });

  it('gives an empty list only when the service has an empty list', async () => {
    expect(await search(await service([]))).toEqual([]);
    for (const body of ['{}', '[]', '"ok"', '{"results": null}', '{"web": []}', '{"results": {}}', '']) {
      const url = await serviceThatSays(200, { 'content-type': 'application/json' }, body);
      expect((await faultOf(url)).fault, body).toBe('bad-response');
    }
    const addresses = [{ title: 'a', url: 'ftp://a.example/', about: 'b' }];
    expect((await faultOf(await service(addresses))).fault).toBe('bad-response');
  });

  it('takes a challenge for people as a fault, whatever its status', async () => {
    const challenge = '<html><form id="check">Are you a person?</form></html>';
    for (const status of [200, 202, 403]) {
      if (vendor.name === 'searxng' && status === 403) continue;
      const { fault, message } = await faultOf(
        await serviceThatSays(status, { 'content-type': 'text/html' }, challenge),
      );
      expect([fault, message], `${status}`).toEqual(['blocked', expect.stringContaining('other words do not help')]);
    }
    const sly = await serviceThatSays(200, { 'content-type': 'application/json' }, ` ${challenge}`);
    expect((await faultOf(sly)).fault).toBe('blocked');
  });

  it('tells limits from quotas, and when to try again', async () => {
    const said = (reply: Reply, headers: Record<string, string> = {}) => {
      const isText = typeof reply.body === 'string';
      const type = { 'content-type': isText ? 'text/html' : 'application/json' };
      return serviceThatSays(
        reply.status ?? 200,
        { ...type, ...headers },
        isText ? String(reply.body) : JSON.stringify(reply.body),
      );
    };
    const limited = await faultOf(await said(vendor.limited, { 'retry-after': '30' }));
    expect([limited.fault, limited.message]).toEqual(['rate-limited', expect.stringContaining('try again after 30 s')]);
    const dated = await faultOf(await said(vendor.limited, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }));
    expect(dated.message).toContain('after 2026-10-21T07:28:00.000Z');
    if (vendor.quota) expect((await faultOf(await said(vendor.quota))).fault).toBe('quota');
  });

  it('says that a service is down, far away or somewhere else', async () => {
    expect((await faultOf(await serviceThatSays(503, {}, '<h1>down</h1>'))).fault).toBe('unavailable');
    expect(await faultOf(await closedPort())).toEqual({
      fault: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    let asked = 0;
    const elsewhere = await start((_request, response) => {
      asked++;
      response.end();
    });
    expect((await faultOf(await serviceThatSays(302, { location: elsewhere }, ''))).fault).toBe('bad-response');
    expect(asked).toBe(0);
  });

  it('reads no answer without end', async () => {
    const url = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write('['.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect((await faultOf(url)).fault).toBe('bad-response');
  });

  it('stops with the reason of the signal', async () => {
    const url = await start(() => undefined);
    const controller = new AbortController();
    const call = search(url, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 30);
    await expect(call).rejects.toThrow('enough');
  });

  if (vendor.variable)
    it('takes its key from the options or the environment, and shows it to nobody else', async () => {
      const variable = vendor.variable ?? '';
      const wrong = 'key-of-someone-else-42';
      const { fault, message } = await faultOf(await service(), { key: wrong });
      expect([fault, message]).toEqual([
        'no-access',
        expect.stringMatching(new RegExp(`nvalid.*; check ${variable}$`)),
      ]);
      const echo = await serviceThatSays(
        400,
        { 'content-type': 'application/json' },
        JSON.stringify({ error: { detail: goodKey }, detail: goodKey }),
      );
      await faultOf(echo);
      vi.stubEnv(variable, '');
      expect(() => vendor.make('http://127.0.0.1:1', '')).toThrow(`set ${variable} or pass apiKey`);
      const broken = (): SearchProvider => vendor.make('http://127.0.0.1:1', 'two\nlines-of-a-secret');
      expect(broken).toThrow(UsageError);
      expect(broken).not.toThrow('lines-of-a-secret');
      expect(() => vendor.make('http://search.example', goodKey)).toThrow('unencrypted');
      expect(() => vendor.make('https://u:p@search.example', goodKey)).toThrow(UsageError);
    });
});

describe('searxng', () => {
  it('says how to enable its JSON format', async () => {
    const url = await start((_request, response) =>
      response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden'),
    );
    await expect(searxng({ url }).search('a', { limit: 1, signal: new AbortController().signal })).rejects.toThrow(
      'list "json" under search.formats in its settings.yml',
    );
  });

  it('does not take engines that did not answer for nothing found', async () => {
    const unresponsive = [
      ['brave', 'Suspended: too many requests'],
      ['startpage', 'CAPTCHA'],
    ];
    const url = await start((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ results: [], unresponsive_engines: unresponsive })),
    );
    await expect(searxng({ url }).search('a', { limit: 1, signal: new AbortController().signal })).rejects.toThrow(
      'brave (Suspended: too many requests), startpage (CAPTCHA)',
    );
  });

  it('finds its instance in the environment', () => {
    vi.stubEnv('SEARXNG_URL', '');
    expect(() => searxng()).toThrow('set SEARXNG_URL or pass url');
    vi.stubEnv('SEARXNG_URL', 'http://searx.corp.example/path');
    expect(searxng().hosts).toEqual(['searx.corp.example']);
  });
});
