import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../agent.ts';
import { judge } from '../checks/evaluators/judge.ts';
import { inMemoryLessons } from '../memory/in-memory-lessons.ts';
import { lessons } from '../solver/lessons/lessons.ts';
import { reflexion } from '../solver/reflexion/reflexion.ts';
import { callFinal } from '../testing/replies.ts';
import { detectModel } from './detect.ts';
import { embedderOf, resolveEmbedder } from './embedding.ts';
import { functionModel } from './providers/function-model.ts';
import { scriptedModel } from './providers/script-model.ts';
import { resolveModel } from './resolve.ts';
import { type ModelSettings, modelRoles } from './roles.ts';

const remote = { ...scriptedModel([callFinal('a')], { modelId: 'far' }), source: 'provider' as const };
const local = scriptedModel(() => callFinal('a'), { modelId: 'near' });
const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k', MISTRAL_API_KEY: 'k' };

afterEach(() => {
  delete process.env['ASSAY_ONLY_LOCAL'];
});

describe('where only models on this machine may be asked', () => {
  it.each([
    ['openai:gpt-5-mini', keys],
    ['openai:gpt-5-mini', { ...keys, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }],
    ['bedrock:some.model', keys],
    ['openai-compatible:https://models.example.org/v1#m', keys],
    ['openai-compatible:m', { OPENAI_BASE_URL: 'https://models.example.org/v1' }],
    ['lmstudio:m', { LMSTUDIO_BASE_URL: 'http://10.0.0.7:1234/v1' }],
    ['vllm:m', { VLLM_BASE_URL: 'http://gpu.example.org/v1' }],
    ['ollama:m', { OLLAMA_HOST: 'http://10.0.0.7:11434' }],
    ['ollama:gpt-oss:120b-cloud', { OLLAMA_HOST: 'http://127.0.0.1:9' }],
    ['exec:./ask.sh', {}],
  ])('%s is refused', async (id, env) => {
    await expect(resolveModel(id, { env, onlyLocal: true })).rejects.toThrow(
      /Only models on this machine may be asked/,
    );
    await expect(resolveModel(id, { env: { ...env, ASSAY_ONLY_LOCAL: '1' } })).rejects.toThrow(/onlyLocal/);
  });

  it('servers and scripts on this machine are taken', async () => {
    const env = { LLAMACPP_BASE_URL: 'http://127.0.0.1:9/v1', OLLAMA_HOST: 'http://127.0.0.1:9' };
    for (const id of ['openai-compatible:http://localhost:9/v1#m', 'llamacpp:m', 'ollama:qwen3:4b']) {
      expect((await resolveModel(id, { env, onlyLocal: true, onWarning: () => {} })).modelId).not.toBe('');
    }
    const result = await defineAgent({ model: local, onlyLocal: true }).run('x');
    expect(result.answer).toBe('a');
  });

  it('a server that is elsewhere hears nothing, not even a question for its models', async () => {
    let heard = 0;
    const server = createServer((_, response) => {
      heard++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    // A name that is no loopback name and still leads here, as a server elsewhere would be reached.
    const env = {
      OLLAMA_HOST: `http://[::ffff:127.0.0.1]:${port}`,
      VLLM_BASE_URL: `http://[::ffff:127.0.0.1]:${port}/v1`,
    };
    for (const id of ['ollama:m', 'vllm:m']) {
      await expect(resolveModel(id, { env, onlyLocal: true })).rejects.toThrow(/Only models on this machine/);
    }
    expect(heard).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });

  it.each<[string, ModelSettings]>([
    ['the actor', { model: remote }],
    ['a role', { models: { actor: local, judge: remote } }],
    ['a fallback', { model: [local, remote] }],
    ['a fallback of a role', { models: { actor: local, verifier: [local, remote] } }],
    ['a function, which may do anything', { model: () => 'x' }],
    ['an embedder', { models: { actor: local, embedder: 'openai:text-embedding-3-small' } }],
  ])('%s that is elsewhere is refused before a run begins', async (_what, settings) => {
    await expect(modelRoles({ ...settings, onlyLocal: true }).load()).rejects.toThrow(/Only models on this machine/);
    await expect(defineAgent({ ...settings, onlyLocal: true }).run('x')).rejects.toThrow(/Only models on this machine/);
    process.env['ASSAY_ONLY_LOCAL'] = '1';
    await expect(modelRoles(settings).load()).rejects.toThrow(/Only models on this machine/);
  });

  it('a function and a command are taken when the user declares them, and so is a gateway', async () => {
    const answer = () => '{"type":"final","answer":"b","claims":[]}';
    const declared = { model: answer, local: true } as const;
    expect((await defineAgent({ model: declared, onlyLocal: true }).run('x')).answer).toBe('b');
    const models = modelRoles({ model: [{ model: remote, local: true }, local], onlyLocal: true });
    await models.load();
    expect(models.all().map(({ local: said }) => said)).toEqual([true, undefined]);
    // Declared in one role, it is not in another.
    const mixed = modelRoles({ models: { actor: { model: remote, local: true }, judge: remote }, onlyLocal: true });
    await expect(mixed.load()).rejects.toThrow(/far, in the role 'judge'/);
  });

  it('models that layers have of their own are held to it as well', () => {
    const embedding = { ...embedderStub, provider: 'far' };
    const memory = lessons({ store: inMemoryLessons(), embedding });
    expect(() => defineAgent({ model: local, layers: [memory], onlyLocal: true })).toThrow(/in the layer 'lessons'/);
    const critic = reflexion({ evaluator: judge({ rubric: ['it is short'], model: remote }) });
    expect(() => defineAgent({ model: local, layers: [critic], onlyLocal: true })).toThrow(/in the layer 'reflexion'/);
    defineAgent({
      model: local,
      layers: [lessons({ store: inMemoryLessons(), embedding: { ...embedding, local: true } })],
      onlyLocal: true,
    });
  });

  it('keys of vendors are passed over when a model is looked for', async () => {
    const found = await detectModel({ env: { ...keys, ASSAY_ONLY_LOCAL: 'yes' }, servers: [] });
    expect(found.found?.id ?? '').not.toMatch(/^(openai|anthropic|google|mistral):/);
    expect(found.looked).toContainEqual({
      what: 'API keys',
      outcome: expect.stringContaining('only models on this machine'),
    });
    expect((await detectModel({ env: { ...keys, ASSAY_ONLY_LOCAL: '0' }, servers: [] })).found?.id).toMatch(
      /^anthropic:/,
    );
  });
});

const embedderStub = {
  specificationVersion: 'v4' as const,
  modelId: 'e',
  maxEmbeddingsPerCall: 8,
  supportsParallelCalls: false,
  doEmbed: async () => ({ embeddings: [], warnings: [] }),
};

describe('an embedder', () => {
  it('by its id is one of a vendor, or of a server that speaks as OpenAI does', async () => {
    const ids = ['openai:text-embedding-3-small', 'gemini:gemini-embedding-001', 'mistral:mistral-embed'];
    for (const id of ids)
      expect((await resolveEmbedder(id, { env: keys })).modelId).toBe(id.slice(id.indexOf(':') + 1));
    const ollama = await resolveEmbedder('ollama:nomic-embed-text', { env: {} });
    expect(ollama).toMatchObject({ provider: 'ollama.embedding', modelId: 'nomic-embed-text', local: true });
    const far = await resolveEmbedder('openai-compatible:https://e.example.org/v1#m', { env: {} });
    expect(far.local).toBe(false);
  });

  it('embeds on a server of this machine', async () => {
    const bodies: unknown[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        bodies.push([request.url, JSON.parse(text)]);
        const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ object: 'list', data, usage: { prompt_tokens: 3, total_tokens: 3 } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { OLLAMA_HOST: `127.0.0.1:${port}`, ASSAY_ONLY_LOCAL: '1' };
    const model = await resolveEmbedder('ollama:nomic-embed-text', { env });
    const { embeddings, usage } = await model.doEmbed({ values: ['a boat'] });
    expect([embeddings, usage]).toEqual([[[0.1, 0.2]], { tokens: 3 }]);
    expect(bodies).toEqual([
      ['/v1/embeddings', expect.objectContaining({ model: 'nomic-embed-text', input: ['a boat'] })],
    ]);
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ['openai:text-embedding-3-small', {}, /needs an API key of OpenAI/],
    ['anthropic:claude', keys, /is no embedding model that is known. Known forms: openai:/],
    ['nomic-embed-text', {}, /no embedding model/],
    ['ollama:', {}, /no embedding model/],
    ['openai-compatible:nowhere#m', {}, /no embedding model/],
  ])('%s is told what is wrong', async (id, env, message) => {
    await expect(resolveEmbedder(id, { env })).rejects.toThrow(message);
  });

  it('as an object has to say that it stays here, where that is asked for', async () => {
    const model = { ...embedderStub, provider: 'own' };
    await expect(embedderOf(model, { onlyLocal: true })).rejects.toThrow(/own:e, the embedder, is not known/);
    expect(await embedderOf({ ...model, local: true }, { onlyLocal: true })).toMatchObject({ local: true });
    expect(functionModel(() => 'x')).not.toHaveProperty('local');
  });
});
