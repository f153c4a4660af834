import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { userMessage } from '../core/transcript.ts';
import { startVendorServer, type VendorServer, vendorEnvironment } from '../testing/vendor-server.ts';
import { optionalModel } from './providers/vendors.ts';
import { resolveModel } from './resolve.ts';

const ask = { prompt: [userMessage('Who is there?')] };

let folder: string;
let server: VendorServer | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resolve-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true });
});

async function refusal(id: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const error = await resolveModel(id, { env }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}

async function textOf(id: string, options: Parameters<typeof resolveModel>[1]): Promise<string> {
  const { content } = await (await resolveModel(id, options)).doGenerate(ask);
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

describe('an id that names no model', () => {
  test.each([
    ['opneai:gpt-5', 'openai:gpt-5'],
    ['gpt-4.1', 'openai:gpt-4.1'],
    ['claude-haiku-4-5', 'anthropic:claude-haiku-4-5'],
    ['gemini-2.5-pro', 'google:gemini-2.5-pro'],
    ['olama:qwen3:4b', 'ollama:qwen3:4b'],
    ['ANTHROPC:x', 'anthropic:x'],
  ])('%s: suggests %s and lists the forms', async (id, suggestion) => {
    const message = await refusal(id);
    expect(message).toContain(`Did you mean ${suggestion}?`);
    for (const form of [
      'openai:',
      'anthropic:',
      'google:',
      'openai-compatible:',
      'ollama:',
      'exec:',
      'script:',
      'replay:',
    ]) {
      expect(message).toContain(form);
    }
  });

  test('without anything alike there is no suggestion', async () => {
    expect(await refusal('zzzzzzzz:1')).not.toContain('Did you mean');
    expect(await refusal('')).toContain('empty');
  });

  test('a provider without a model shows how one is written', async () => {
    expect(await refusal('openai:')).toContain('openai:gpt-5-mini');
    expect(await refusal('openai-compatible:http://127.0.0.1:9/v1', {})).toContain('#MODEL');
  });
});

describe('keys and addresses', () => {
  test.each([
    ['openai:gpt-5-mini', 'OPENAI_API_KEY'],
    ['anthropic:claude-haiku-4-5', 'ANTHROPIC_API_KEY'],
    ['google:gemini-2.5-flash', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['deepseek:deepseek-chat', 'DEEPSEEK_API_KEY'],
    ['alibaba:qwen-plus', 'ALIBABA_API_KEY'],
    ['moonshotai:kimi-k2.5', 'MOONSHOT_API_KEY'],
  ])('%s without a key names %s; a blank one counts as none', async (id, variable) => {
    expect(await refusal(id)).toContain(`export ${variable}=`);
    expect(await refusal(id, { [variable]: '  ' })).toContain(variable);
  });

  test('a key under another common name is used', async () => {
    server = await startVendorServer({ script: [{ type: 'text', text: 'hello' }] });
    const env = { GEMINI_API_KEY: 'from-gemini', GOOGLE_GENERATIVE_AI_BASE_URL: `${server.url}/v1beta` };
    expect(await textOf('google:gemini-2.5-flash', { env })).toBe('hello');
    expect(server.requests[0]!.headers['x-goog-api-key']).toBe('from-gemini');
  });

  test('the base URL of the options goes before the one of the environment', async () => {
    server = await startVendorServer({ script: [{ type: 'text', text: 'here' }] });
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
    expect(await textOf('openai:gpt-5-mini', { env, baseUrl: `${server.url}/v1/` })).toBe('here');
  });

  test('a base URL that is none is refused by name', async () => {
    expect(await refusal('openai:gpt-5-mini', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'localhost:80' })).toContain(
      'OPENAI_BASE_URL',
    );
  });

  test('the key of OpenAI is sent to OPENAI_BASE_URL, never to a host named in an id', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'ok' }) });
    const env = { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: `${server.url}/v1` };
    await textOf('openai-compatible:m', { env });
    await textOf(`openai-compatible:${server.url}/v1#m`, { env });
    await textOf(`openai-compatible:${server.url}/v1#m`, { env: { ...env, OPENAI_COMPATIBLE_API_KEY: 'own' } });
    await textOf('openai-compatible:m', { env: { OPENAI_API_KEY: 'secret' }, baseUrl: `${server.url}/v1` });
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer secret',
      undefined,
      'Bearer own',
      undefined,
    ]);
  });

  test('without an address a compatible model says how to give one', async () => {
    expect(await refusal('openai-compatible:some-model')).toMatch(/OPENAI_BASE_URL.*#some-model/);
  });

  test('ollama is asked where OLLAMA_HOST says, in any of its forms', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'local' }) });
    const { port } = new URL(server.url);
    for (const host of [server.url, `127.0.0.1:${port}`, `0.0.0.0:${port}`]) {
      expect(await textOf('ollama:qwen3:4b', { env: { OLLAMA_HOST: host } })).toBe('local');
    }
    expect(server.requests.map(({ path, body }) => [path, body['model']])).toEqual(
      Array(3).fill(['/v1/chat/completions', 'qwen3:4b']),
    );
  });
});

describe('optional packages', () => {
  const connection = { modelId: 'm', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'k' };
  const missing = () =>
    Promise.reject(Object.assign(new Error("Cannot find package '@vendor/thing'"), { code: 'ERR_MODULE_NOT_FOUND' }));

  test('one that is missing is named with the command that installs it', async () => {
    await expect(optionalModel('@vendor/thing', 'createThing', connection, missing)).rejects.toThrow(
      'npm install @vendor/thing',
    );
  });

  test('one that is there but broken says what broke', async () => {
    const broken = () => Promise.reject(new Error('its own fault'));
    await expect(optionalModel('@vendor/thing', 'createThing', connection, broken)).rejects.toThrow('its own fault');
    await expect(optionalModel('@vendor/thing', 'createThing', connection, async () => ({}))).rejects.toThrow(
      'createThing',
    );
  });

  test('one that is there gets the connection and gives the model', async () => {
    const given: unknown[] = [];
    const module = {
      createThing: (settings: unknown) => (modelId: string) => {
        given.push(settings, modelId);
        return {
          specificationVersion: 'v4',
          provider: 'thing.chat',
          modelId,
          supportedUrls: {},
          doGenerate() {},
          doStream() {},
        };
      },
    };
    const model = await optionalModel('@vendor/thing', 'createThing', connection, async () => module);
    expect([model.provider, ...given]).toEqual(['thing.chat', { baseURL: connection.baseUrl, apiKey: 'k' }, 'm']);
  });
});

describe('models without a vendor', () => {
  test('exec: runs a command', async () => {
    const command = join(folder, 'model.sh');
    await writeFile(command, '#!/bin/sh\ncat > /dev/null\nprintf "a command"\n');
    await chmod(command, 0o755);
    expect(await textOf(`exec:${command}`, {})).toBe('a command');
  });

  test('script: plays a file, and says what is wrong with a missing one', async () => {
    const file = join(folder, 'script.json');
    await writeFile(file, JSON.stringify({ replies: ['from the script'] }));
    expect(await textOf(`script:${file}`, {})).toBe('from the script');
    expect(await refusal(`script:${file}.gone`)).toContain('.gone');
  });

  test('what was recorded from a vendor is replayed without it, tools under odd names included', async () => {
    const file = join(folder, 'recording.jsonl');
    server = await startVendorServer({ script: [{ type: 'text', text: 'said once' }] });
    const options = {
      prompt: [userMessage('hi'), userMessage('there')],
      tools: [
        { type: 'function' as const, name: 'odd.name', inputSchema: { type: 'object' as const, properties: {} } },
      ],
    };
    const recorded = await resolveModel('openai-compatible:m', { env: vendorEnvironment(server.url), record: file });
    await recorded.doGenerate(options);
    expect(server.requests.map(({ refused }) => refused)).toEqual([undefined]);
    expect(await readFile(file, 'utf8')).toContain('odd.name');
    const replayed = await (await resolveModel(`replay:${file}`)).doGenerate(options);
    expect(replayed.content).toMatchObject([{ type: 'text', text: 'said once' }]);
  });
});
