import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { userMessage } from '../core/transcript.ts';
import { startVendorServer, type VendorServer, vendorEnvironment } from '../testing/vendor-server.ts';
import { isLocal, traitsOf } from './capability.ts';
import { installed } from './providers/installed.ts';
import { type Vendor, vendors } from './providers/vendors.ts';
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
    ['qwen3:4b', 'ollama:qwen3:4b'],
    ['gpt-oss:20b', 'ollama:gpt-oss:20b'],
    ['grok-4.3', 'xai:grok-4.3'],
    ['glm-4.7', 'zhipu:glm-4.7'],
    ['kimi-k2.5', 'moonshotai:kimi-k2.5'],
    ['magistral-small-latest', 'mistral:magistral-small-latest'],
    ['qwen3.7-plus', 'alibaba:qwen3.7-plus'],
    ['meta-llama/llama-3.3-70b-instruct:free', 'openrouter:meta-llama/llama-3.3-70b-instruct:free'],
    ['eu.anthropic.claude-sonnet-4-6', 'bedrock:eu.anthropic.claude-sonnet-4-6'],
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
    ['mistral:mistral-medium-latest', 'MISTRAL_API_KEY'],
    ['groq:openai/gpt-oss-120b', 'GROQ_API_KEY'],
    ['xai:grok-4.3', 'XAI_API_KEY'],
    ['zhipu:glm-4.7', 'ZHIPU_API_KEY'],
    ['openrouter:anthropic/claude-sonnet-4.6', 'OPENROUTER_API_KEY'],
    ['azure:mine', 'AZURE_API_KEY'],
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

  test('ollama is asked over its own API where OLLAMA_HOST says, in any of its forms', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'local' }) });
    const { port } = new URL(server.url);
    for (const host of [server.url, `127.0.0.1:${port}`, `0.0.0.0:${port}`]) {
      expect(await textOf('ollama:qwen3:4b', { env: { OLLAMA_HOST: host } })).toBe('local');
    }
    expect(server.requests.map(({ path, body }) => [path, body['model']])).toEqual(
      Array(3).fill(['/api/chat', 'qwen3:4b']),
    );
  });

  test.each([
    ['lmstudio:some-model', 'LMSTUDIO_BASE_URL'],
    ['llamacpp:some-model', 'LLAMACPP_BASE_URL'],
    ['vllm:some-model', 'VLLM_BASE_URL'],
  ])('%s needs no key and is asked where %s says', async (id, variable) => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'served' }) });
    expect(await textOf(id, { env: { [variable]: `${server.url}/v1/` } })).toBe('served');
    expect(server.requests[0]?.headers['authorization']).toBeUndefined();
  });

  test('a vendor has other names, and keys of either of its doors', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'ok' }) });
    const env = vendorEnvironment(server.url);
    for (const id of ['qwen:qwen-plus', 'kimi:kimi-k2.5', 'glm:glm-4.7', 'grok:grok-4.3', 'gemini:gemini-2.5-flash']) {
      expect(await textOf(id, { env })).toBe('ok');
    }
    expect(server.requests.map(({ vendor }) => vendor)).toEqual(['alibaba', 'moonshotai', 'zhipu', 'xai', 'google']);
    const zhipu = vendors.find(({ prefix }) => prefix === 'zhipu')!;
    expect(zhipu.locate?.({ ZAI_API_KEY: 'k' })).toBe('https://api.z.ai/api/paas/v4');
    expect(zhipu.locate?.({ ZAI_API_KEY: 'k', ZHIPU_API_KEY: 'k' })).toBeUndefined();
  });

  test('azure is asked for a deployment, over the one API or the older one of a version', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'ok' }) });
    const env = vendorEnvironment(server.url);
    await textOf('azure:mine', { env });
    await textOf('azure:mine', { env: { ...env, AZURE_OPENAI_API_VERSION: '2024-10-21' } });
    expect(
      server.requests.map(({ path, query, headers }) => [path, query.get('api-version'), headers['api-key']]),
    ).toEqual([
      ['/azure/openai/v1/responses', null, 'test-key'],
      ['/azure/openai/deployments/mine/chat/completions', '2024-10-21', 'test-key'],
    ]);
    expect(await refusal('azure:mine', { AZURE_API_KEY: 'k' })).toContain('AZURE_RESOURCE_NAME');
    const azure = vendors.find(({ prefix }) => prefix === 'azure')!;
    expect(azure.locate?.({ AZURE_RESOURCE_NAME: 'acme' })).toBe('https://acme.openai.azure.com/openai');
  });

  test('bedrock takes a key or signs, and needs a region', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'ok' }) });
    const id = 'bedrock:eu.anthropic.claude-sonnet-4-6';
    const { AWS_BEARER_TOKEN_BEDROCK: _key, ...unsigned } = vendorEnvironment(server.url);
    const signed = {
      ...unsigned,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
    };
    expect(await textOf(id, { env: { ...signed, AWS_BEARER_TOKEN_BEDROCK: 'bearer' } })).toBe('ok');
    expect(await textOf(id, { env: signed })).toBe('ok');
    expect(server.requests.map(({ headers }) => headers['authorization']?.slice(0, 62))).toEqual([
      'Bearer bearer',
      expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1/),
    ]);
    expect(server.requests[1]?.headers['x-amz-security-token']).toBe('session');
    expect(await refusal(id, unsigned)).toContain('AWS_BEARER_TOKEN_BEDROCK');
    expect(await refusal(id, { AWS_BEARER_TOKEN_BEDROCK: 'k' })).toContain('AWS_REGION');
  });
});

describe('settings in an id', () => {
  test('are told to the model and are no part of its name', async () => {
    server = await startVendorServer({ script: () => ({ type: 'text', text: 'ok' }) });
    const env = vendorEnvironment(server.url);
    await textOf('openai:gpt-5-mini,reasoning=low', { env, reasoning: 'high' });
    await textOf('openai:gpt-5-mini', { env, reasoning: 'high' });
    await textOf('ollama:qwen3:4b,context=12345,reasoning=none', { env });
    expect(server.requests.map(({ body }) => [body['model'], body['reasoning'] ?? body['think']])).toEqual([
      ['gpt-5-mini', { effort: 'low' }],
      ['gpt-5-mini', { effort: 'high' }],
      ['qwen3:4b', false],
    ]);
    expect(server.requests[2]?.body).toMatchObject({ options: { num_ctx: 12_345 } });
  });

  test('that make no sense are refused by name', async () => {
    expect(await refusal('ollama:qwen3:4b,reasoning=much')).toContain('none, low, medium, high');
    expect(await refusal('ollama:qwen3:4b,context=big')).toContain('context=16384');
    expect(await refusal('openai:gpt-5-mini,context=8192')).toContain('context');
    expect(await refusal('openai:,reasoning=low')).toContain('names no model');
  });
});

describe('optional packages', () => {
  test('one that is missing is named with the command that installs it', async () => {
    const error = Object.assign(new Error("Cannot find package '@vendor/thing'"), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(installed('@vendor/thing', () => Promise.reject(error))).rejects.toThrow('npm install @vendor/thing');
  });

  test('one that is there but broken says what broke', async () => {
    const broken = () => Promise.reject(new Error('its own fault'));
    await expect(installed('@vendor/thing', broken)).rejects.toThrow('its own fault');
    const within = Object.assign(new Error("Cannot find package 'other'"), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(installed('@vendor/thing', () => Promise.reject(within))).rejects.toThrow("'other'");
  });

  test('without any of them every id that needs one says which', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      withoutPackages(
        vendors.filter((vendor) => !bundled.includes(vendor.package)),
        new URL('./resolve.ts', import.meta.url),
      ),
    ]);
    const messages: Record<string, string> = JSON.parse(stdout);
    expect(Object.keys(messages).sort()).toEqual(
      ['openrouter', 'groq', 'mistral', 'xai', 'deepseek', 'alibaba', 'moonshotai', 'bedrock', 'azure'].sort(),
    );
    for (const vendor of vendors.filter(({ prefix }) => prefix in messages)) {
      expect(messages[vendor.prefix]).toContain(`npm install ${vendor.package}`);
    }
  });
});

/** The packages of vendors that are dependencies of ours. */
const bundled = ['anthropic', 'openai', 'google', 'openai-compatible'].map((name) => `@ai-sdk/${name}`);

/** A program that has none of these packages, tries the ids that need them, and prints what each says. */
function withoutPackages(missing: readonly Vendor[], resolve: URL): string {
  const tried = missing.map(({ prefix, defaultModel }) => [prefix, defaultModel]);
  return `
    import { registerHooks } from 'node:module';
    const gone = new Set(${JSON.stringify(missing.map((vendor) => vendor.package))});
    registerHooks({
      resolve(name, context, next) {
        if (!gone.has(name)) return next(name, context);
        throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });
    const { resolveModel } = await import(${JSON.stringify(resolve.href)});
    const env = ${JSON.stringify(vendorEnvironment('http://127.0.0.1:9'))};
    const said = {};
    for (const [prefix, model] of ${JSON.stringify(tried)}) {
      said[prefix] = await resolveModel(prefix + ':' + model, { env }).then(() => 'resolved', (error) => error.message);
    }
    process.stdout.write(JSON.stringify(said));
  `;
}

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

describe('servers on this machine', () => {
  test('say that they are, and how large their context is', async () => {
    const list = createServer((_request, response) => {
      const data = [
        { id: 'small', object: 'model', meta: { n_ctx: 4_096 } },
        { id: 'large', object: 'model', max_model_len: 32_768 },
      ];
      response.end(JSON.stringify({ object: 'list', data }));
    });
    await new Promise<void>((resolve) => list.listen(0, '127.0.0.1', resolve));
    const address = list.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1`;
    const env = { LLAMACPP_BASE_URL: url, VLLM_BASE_URL: url, OPENAI_BASE_URL: url };
    const traits = async (id: string) => traitsOf(await resolveModel(id, { env }));
    expect(await traits('llamacpp:small')).toMatchObject({ local: true, contextTokens: 4_096 });
    expect(await traits('vllm:large')).toMatchObject({ local: true, contextTokens: 32_768 });
    expect(await traits('vllm:unlisted')).toEqual({ source: 'provider', local: true });
    expect(await traits('openai-compatible:any')).toMatchObject({ local: true });
    list.close();
    const elsewhere = await resolveModel('openai-compatible:https://models.example/v1#any', { env });
    expect(isLocal(elsewhere)).toBe(false);
  });
});
