import { expect, test } from 'vitest';
import type { LocalServer } from './local-servers.ts';
import { servedId, serverModels } from './server-models.ts';

const ollama: LocalServer = { name: 'Ollama', origin: 'http://127.0.0.1:11434', speaks: 'ollama', prefix: 'ollama' };
const llamaCpp: LocalServer = { name: 'llama.cpp', origin: 'http://127.0.0.1:8080', speaks: 'openai' };

/** Answers by path; another path is refused. */
const answering = (answers: Record<string, unknown>): typeof fetch => {
  return async (url) => {
    const path = new URL(String(url)).pathname;
    if (!(path in answers)) throw new TypeError('refused');
    return Response.json(answers[path]);
  };
};
const ask = (server: LocalServer, answers: Record<string, unknown>) =>
  serverModels(server, { fetch: answering(answers), timeoutMs: 1_000 });

test('llama.cpp and vLLM say how large the context of a model is', async () => {
  const data = [
    { id: 'a.gguf', owned_by: 'llamacpp', meta: { n_ctx: 4_096, n_ctx_train: 40_960 } },
    { id: 'b', object: 'model', max_model_len: 32_768 },
    { id: 'c', object: 'model' },
  ];
  const { models } = await ask(llamaCpp, { '/v1/models': { data } });
  expect(models).toEqual([
    { name: 'a.gguf', contextTokens: 4_096 },
    { name: 'b', contextTokens: 32_768 },
    { name: 'c' },
  ]);
  expect(models.map((model) => servedId(llamaCpp, model))[0]).toBe('openai-compatible:http://127.0.0.1:8080/v1#a.gguf');
});

test('Ollama says what its loaded models have', async () => {
  const tags = { models: [{ name: 'qwen3:4b' }, { name: 'gemma4:e2b' }] };
  const ps = { models: [{ name: 'gemma4:e2b', context_length: 4_096 }] };
  const { models } = await ask(ollama, { '/api/tags': tags, '/api/ps': ps });
  expect(models).toEqual([{ name: 'qwen3:4b' }, { name: 'gemma4:e2b', contextTokens: 4_096 }]);
  expect(servedId(ollama, models[0]!)).toBe('ollama:qwen3:4b');
});

test('an Ollama that cannot say what is loaded still lists its models', async () => {
  expect(await ask(ollama, { '/api/tags': { models: [{ name: 'qwen3:4b' }] } })).toEqual({
    models: [{ name: 'qwen3:4b' }],
    outcome: 'offers a model',
  });
});
