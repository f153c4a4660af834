import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { userMessage } from '../../core/transcript.ts';
import { whyNoLlama } from '../../testing/llama-missing.ts';
import { writeTinyModel } from '../../testing/tiny-model.ts';
import { isLocal, sourceOf } from '../capability.ts';
import { priceOf } from '../prices.ts';
import { resolveModel } from '../resolve.ts';
import { findLocalModel } from './models-table.ts';
import { closeLocalModels } from './resolve-local.ts';

const missing = await whyNoLlama();
const folder = mkdtempSync(join(tmpdir(), 'assay-resolve-'));
const file = join(folder, 'tiny.gguf');
const env = { ASSAY_LOCAL_GPU: 'off', ASSAY_LOCAL_THREADS: '1' };
beforeAll(() => writeTinyModel(file));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a model of local:', () => {
  test('says what it is before it is loaded', async () => {
    const model = await resolveModel(`local:${file},context=2048`, { env });
    expect(model).toMatchObject({ modelId: 'tiny', contextTokens: 2_048, forcesCalls: true });
    expect([sourceOf(model), isLocal(model), priceOf(model)]).toEqual(['local', true, 'free']);
    expect(await resolveModel(`local:${file}`, { env: { ...env, ASSAY_LOCAL_CONTEXT: '4096' } })).toMatchObject({
      contextTokens: 4_096,
    });
  });

  test('a name of the table is its file in the models folder, with what the table says of it', async () => {
    const withCache = { ...env, ASSAY_CACHE: join(folder, 'cache') };
    const missing = await resolveModel('local:qwen3-0.6b', { env: withCache }).catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(UsageError);
    expect(String(missing)).toMatch(
      /qwen3-0\.6b is not on this machine.*Get it, 400 MB, with: assay models pull qwen3-0\.6b/,
    );
    mkdirSync(join(folder, 'cache', 'models'), { recursive: true });
    writeTinyModel(findLocalModel('qwen3-0.6b', withCache).file);
    expect(await resolveModel('local:qwen3-0.6b', { env: withCache })).toMatchObject({
      ...{ modelId: 'qwen3-0.6b', parameters: 600_000_000, contextTokens: 16_384 },
    });
    await expect(resolveModel('local:qwen3', { env: withCache })).rejects.toThrow(/no local model "qwen3"/);
  });

  test.each([
    [`local:${folder}/none.gguf`, env, /none\.gguf cannot be read.*models pull/],
    [`local:${folder}`, env, /is no file/],
    [`local:${file}`, { ASSAY_LOCAL_THREADS: 'all' }, /ASSAY_LOCAL_THREADS is "all".*whole number/],
    [`local:${file}`, { ASSAY_LOCAL_CONTEXT: '0' }, /ASSAY_LOCAL_CONTEXT is "0"/],
    [`local:${file}`, { ASSAY_LOCAL_ISOLATION: 'thread' }, /process or in-process/],
  ])('%s with %o is refused', async (id, env, message) => {
    const refused = await resolveModel(id, { env }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(String(refused)).toMatch(message);
  });
});

describe.skipIf(missing)(`a model of local: that speaks${missing ? ` (skipped: ${missing})` : ''}`, () => {
  afterAll(closeLocalModels);

  test('two roles share what was read', async () => {
    const [one, other] = [await resolveModel(`local:${file}`, { env }), await resolveModel(`local:${file}`, { env })];
    const prompt = [userMessage('How many bolts are there?')];
    await one.doGenerate({ prompt });
    const { usage } = await other.doGenerate({ prompt });
    expect(usage.inputTokens.noCache).toBe(1);
  });

  test('tools with any name may be called, and chosen', async () => {
    const model = await resolveModel(`local:${file}`, { env });
    const name = 'stock.look up/v2';
    const inputSchema = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] } as const;
    const { content } = await model.doGenerate({
      prompt: [userMessage('Hi')],
      tools: [
        { type: 'function', name: 'another', inputSchema },
        { type: 'function', name, inputSchema },
      ],
      toolChoice: { type: 'tool', toolName: name },
    });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: name, input: '{"item":"tiny"}' }]);
  });

  test.skipIf(process.platform !== 'linux')('runs in a process of its own where the environment says so', async () => {
    const children = (): string =>
      readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        .join('\n');
    const model = await resolveModel(`local:${file}`, { env: { ...env, ASSAY_LOCAL_ISOLATION: 'process' } });
    const { content } = await model.doGenerate({ prompt: [userMessage('Hi')] });
    expect(content).toEqual([{ type: 'text', text: 'Hello from the tiny test model.' }]);
    expect(children()).toContain('workers/local-model');
    await closeLocalModels();
    expect(children()).not.toContain('workers/local-model');
  });
});
