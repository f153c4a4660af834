import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Detected, detectModel } from './detect.ts';
import { localModelRow } from './local/models-table.ts';
import { type LocalServer, localServers } from './local-servers.ts';

const running: Server[] = [];
afterEach(async () => {
  await Promise.all(
    running.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

/** A server that answers every path given with JSON (or as told), and 404 else. Gives its origin. */
async function serve(answers: Record<string, unknown>, seen: string[] = []): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push(path);
    const answer = answers[path];
    if (answer === 'hangs') return;
    if (typeof answer === 'string') {
      response.writeHead(answer.startsWith('http') ? 302 : 200, { location: answer }).end(answer);
      return;
    }
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const models = (...ids: string[]) => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', owned_by: 'me' })),
});
const openAi = (origin: string, name = 'LM Studio'): LocalServer => ({ name, origin, speaks: 'openai' });
const ollama = (origin: string): LocalServer => ({ name: 'Ollama', origin, speaks: 'ollama', prefix: 'ollama' });
const closed = 'http://127.0.0.1:9';

/** A folder in which no model file is. */
const noModels = { ASSAY_CACHE: '/nonexistent/assay' };
const detect = (env: NodeJS.ProcessEnv, servers: LocalServer[] = [], timeoutMs = 2_000): Promise<Detected> =>
  detectModel({ env: { ...noModels, ...env }, servers, timeoutMs });
const idOf = async (found: Promise<Detected>) => (await found).found?.id;

describe('the order', () => {
  test('what the user named goes before everything', async () => {
    const env = { OPENAI_BASE_URL: closed, OPENAI_API_KEY: 'k' };
    const { found } = await detectModel({ env, explicit: 'exec:./mine' });
    expect(found).toEqual({ id: 'exec:./mine', reason: 'you named it' });
  });

  test('OPENAI_BASE_URL goes before keys, and a key before servers on this machine', async () => {
    const seen: string[] = [];
    const origin = await serve({ '/v1/models': models('first', 'second') }, seen);
    const env = { OPENAI_BASE_URL: `${origin}/v1/`, ANTHROPIC_API_KEY: 'k' };
    expect(await idOf(detect(env, [openAi(origin)]))).toBe('openai-compatible:first');
    seen.length = 0;
    expect(await idOf(detect({ ANTHROPIC_API_KEY: 'k' }, [openAi(origin)]))).toBe('anthropic:claude-sonnet-4-6');
    expect(seen).toEqual([]);
  });

  test.each([
    [{ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, 'anthropic:claude-sonnet-4-6'],
    [{ OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' }, 'openai:gpt-5-mini'],
    [{ OPENAI_API_KEY: 'o', OPENAI_MODEL: 'gpt-4.1' }, 'openai:gpt-4.1'],
    [{ GEMINI_API_KEY: 'g', MOONSHOT_API_KEY: 'm' }, 'google:gemini-2.5-flash'],
    [{ DASHSCOPE_API_KEY: 'd' }, 'alibaba:qwen-plus'],
    [{ OPENAI_API_KEY: ' ', DEEPSEEK_API_KEY: 'd' }, 'deepseek:deepseek-v4-flash'],
  ])('%j gives %s', async (env, id) => {
    expect(await idOf(detect(env))).toBe(id);
  });

  test('of several servers the earlier in the list wins, however fast the others are', async () => {
    const first = await serve({ '/api/tags': { models: [{ name: 'small:1b' }] } });
    const second = await serve({ '/v1/models': models('big') });
    expect(await idOf(detect({ OLLAMA_HOST: first }, [ollama(first), openAi(second)]))).toBe('ollama:small:1b');
  });
});

describe('OPENAI_BASE_URL', () => {
  test('with OPENAI_MODEL nothing is asked', async () => {
    const env = { OPENAI_BASE_URL: closed, OPENAI_MODEL: 'named' };
    expect(await idOf(detect(env))).toBe('openai-compatible:named');
  });

  test('one that does not answer ends the search and says what to do', async () => {
    const detected = await detect({ OPENAI_BASE_URL: `${closed}/v1`, ANTHROPIC_API_KEY: 'k' });
    expect(detected.found).toBeUndefined();
    expect('message' in detected && detected.message).toMatch(/does not answer.*OPENAI_MODEL.*unset OPENAI_BASE_URL/s);
  });

  test('one that is elsewhere is not asked, so the model has to be named', async () => {
    const asked: unknown[] = [];
    const fetch = async (url: unknown) => {
      asked.push(url);
      return Response.json(models('x'));
    };
    const detected = await detectModel({ env: { OPENAI_BASE_URL: 'https://models.example.org/v1' }, fetch });
    expect(detected.found).toBeUndefined();
    expect('message' in detected && detected.message).toContain('OPENAI_MODEL');
    expect(asked).toEqual([]);
  });
});

describe('a server on this machine', () => {
  test.each([
    ['another JSON API', { status: 'ok' }],
    ['a list of other things', { data: [{ id: 'order-17', total: 3 }] }],
    ['a web page', '<html>hello</html>'],
    ['a list', [1, 2]],
    ['null', null],
    ['an error', undefined],
  ])('that gives %s is not taken for a model', async (_what, answer) => {
    const origin = await serve({ '/v1/models': answer, '/api/tags': answer });
    const detected = await detect({}, [openAi(origin), ollama(origin)]);
    expect(detected.found).toBeUndefined();
    expect(detected.looked.filter(({ outcome }) => outcome.startsWith('answers'))).toHaveLength(2);
  });

  test('models that cannot chat are passed over', async () => {
    const origin = await serve({
      '/v1/models': models('text-embedding-tiny', 'bge-reranker-v2', 'whisper-1', 'chatty'),
    });
    expect(await idOf(detect({}, [openAi(origin)]))).toBe(`openai-compatible:${origin}/v1#chatty`);
    const embedOnly = await serve({ '/api/tags': { models: [{ name: 'nomic-embed-text' }] } });
    const detected = await detect({}, [ollama(embedOnly)]);
    expect(detected.found).toBeUndefined();
    const outcome = detected.looked.find(({ what }) => what.startsWith('Ollama'))?.outcome;
    expect(outcome).toContain('without a model that can chat');
  });

  test('that hangs costs no more than the time limit and hides no other', async () => {
    const hanging = await serve({ '/v1/models': 'hangs' });
    const good = await serve({ '/v1/models': models('m') });
    const from = performance.now();
    expect(await idOf(detect({}, [openAi(hanging), openAi(good, 'vLLM')], 300))).toBe(`openai-compatible:${good}/v1#m`);
    expect(performance.now() - from).toBeLessThan(2_000);
  });

  test('that sends us elsewhere is not followed', async () => {
    const seen: string[] = [];
    const target = await serve({ '/v1/models': models('m') }, seen);
    const origin = await serve({ '/v1/models': `${target}/v1/models` });
    expect((await detect({}, [openAi(origin)])).found).toBeUndefined();
    expect(seen).toEqual([]);
  });

  test('a host elsewhere in OLLAMA_HOST is not asked', async () => {
    const asked: string[] = [];
    const fetch = async (url: unknown) => {
      asked.push(String(url));
      throw new TypeError('refused');
    };
    const detected = await detectModel({ env: { ...noModels, OLLAMA_HOST: 'gpu-box.example.org' }, fetch });
    expect(asked.map((url) => new URL(url).hostname)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
    expect(detected.looked.find(({ what }) => what.includes('gpu-box'))?.outcome).toContain('ollama:MODEL');
  });
});

describe('a model file that was pulled', () => {
  const withPulled = async (env: NodeJS.ProcessEnv, servers: LocalServer[] = []) => {
    const cache = mkdtempSync(join(tmpdir(), 'assay-detect-'));
    const { file } = localModelRow('qwen3-0.6b');
    mkdirSync(join(cache, 'models'));
    writeFileSync(join(cache, 'models', file), 'GGUF');
    try {
      return await idOf(detect({ ...env, ASSAY_CACHE: cache }, servers));
    } finally {
      rmSync(cache, { recursive: true });
    }
  };

  test('is used when there is neither a key nor a server', async () => {
    expect(await withPulled({})).toBe('local:qwen3-0.6b');
  });

  test('is left alone where a container has too little memory for it', async () => {
    const memory = vi.spyOn(process, 'constrainedMemory').mockReturnValue(1_000_000_000);
    expect(await withPulled({})).toBeUndefined();
    memory.mockRestore();
  });

  test('comes behind both', async () => {
    expect(await withPulled({ OPENAI_API_KEY: 'k' })).toBe('openai:gpt-5-mini');
    const origin = await serve({ '/v1/models': models('served') });
    expect(await withPulled({}, [{ ...openAi(origin), prefix: 'lmstudio' }])).toBe('lmstudio:served');
  });
});

test('servers are looked for where their variables say', () => {
  const origins = localServers({ OLLAMA_HOST: '127.0.0.1:1', VLLM_BASE_URL: 'http://127.0.0.1:2/v1/' }).map(
    (one) => one.origin,
  );
  expect(origins).toEqual([
    'http://127.0.0.1:1',
    'http://127.0.0.1:1234',
    'http://127.0.0.1:8080',
    'http://127.0.0.1:2',
  ]);
});

test('when nothing is found one message lists every place and what to type', async () => {
  const detected = await detect({}, [openAi(closed)]);
  expect(detected.found).toBeUndefined();
  const message = 'message' in detected ? detected.message : '';
  for (const { what, outcome } of detected.looked) expect(message).toContain(`${what}: ${outcome}`);
  for (const part of [
    'OPENAI_BASE_URL',
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
    'LM Studio at',
    'does not answer',
    'export OPENAI_API_KEY=',
    'ollama serve',
    'assay models pull',
  ]) {
    expect(message).toContain(part);
  }
});
