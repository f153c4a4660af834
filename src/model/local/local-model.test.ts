import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { JsonSchema } from '../../core/json.ts';
import { userMessage } from '../../core/transcript.ts';
import { whyNoLlama } from '../../testing/llama-missing.ts';
import { localModelContract } from '../../testing/local-model-contract.ts';
import { tinyModelBytes } from '../../testing/tiny-model.ts';
import { ChildEngine } from './child-engine.ts';
import { LlamaEngine } from './llama-engine.ts';
import { llamaSchema } from './llama-schema.ts';
import { startLlama } from './load-llama.ts';
import type { EngineSettings, LocalEngine } from './local-engine.ts';
import { localModel } from './local-model.ts';
import { loadLlamaRuntime } from './runtime.ts';

const missing = await whyNoLlama();

function settingsFor(file: string): EngineSettings {
  return { file, modelId: 'tiny', threads: 1, gpu: false, contextTokens: 16_384 };
}

if (missing === undefined) {
  localModelContract('in this process', (file) => new LlamaEngine(settingsFor(file)));
  localModelContract('in a process of its own', (file) => new ChildEngine(settingsFor(file)));
} else describe.skip(`local model contract (skipped: ${missing})`, () => test('nothing', () => undefined));

describe.skipIf(missing)(`a model file that is not as it should be${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-broken-'));
  const opened: LocalEngine[] = [];
  afterAll(async () => {
    for (const engine of opened) await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const written = (name: string, bytes: Uint8Array | string): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const reply = async (engine: LocalEngine) => {
    opened.push(engine);
    return await localModel(engine, { modelId: 'tiny' }).doGenerate({ prompt: [userMessage('Hi')] });
  };

  const whole = Buffer.from(tinyModelBytes());
  const unknown = Buffer.from(whole.toString('latin1').replaceAll('qwen3', 'qwen9'), 'latin1');
  test.each([
    [
      'garbage',
      written('garbage.gguf', Buffer.alloc(5_000, 1)),
      /garbage\.gguf is no model file: it does not begin.*models pull/,
    ],
    ['empty', written('empty.gguf', ''), /it is empty/],
    ['a web page', written('page.gguf', '<!doctype html><html>Not found</html>'), /a web page/],
    ['a pointer', written('pointer.gguf', 'version https://git-lfs.github.com/spec/v1\noid sha256:0'), /Git LFS/],
    [
      'truncated',
      written('cut.gguf', whole.subarray(0, 400_000)),
      /cut\.gguf cannot be loaded: .*not within.*incomplete or damaged/,
    ],
    [
      'damaged',
      written('damaged.gguf', Buffer.concat([whole.subarray(0, 40), Buffer.alloc(50, 9), whole.subarray(90)])),
      /damaged\.gguf cannot be loaded.*Delete it/,
    ],
    [
      'of an architecture that nobody knows',
      written('unknown.gguf', unknown),
      /unknown model architecture.*take another model/,
    ],
    ['missing', join(folder, 'missing.gguf'), /missing\.gguf cannot be read\. There is no such file\. Check the path/],
    ['a folder', folder, /is no file/],
  ])('%s: the error says which file it is, what it is, and what to do', async (_, file, message) => {
    const failed = await reply(new LlamaEngine(settingsFor(file))).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UsageError);
    expect(String(failed)).toMatch(message);
  });

  test('another process says the same', async () => {
    const failed = await reply(new ChildEngine(settingsFor(join(folder, 'cut.gguf')))).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UsageError);
    expect(String(failed)).toMatch(/cut\.gguf cannot be loaded/);
  });

  test('a file that has come since is loaded by the next call', async () => {
    const file = join(folder, 'late.gguf');
    const engine = new LlamaEngine(settingsFor(file));
    await expect(reply(engine)).rejects.toThrow('no such file');
    written('late.gguf', whole);
    expect((await reply(engine)).finishReason.unified).toBe('stop');
  });

  test('a chat template that cannot be read is told of', async () => {
    const bytes = tinyModelBytes({ chatTemplate: '{%- for message in nobodys %}{%- endfor %}' });
    const engine = new LlamaEngine(settingsFor(written('template.gguf', bytes)));
    opened.push(engine);
    const told: string[] = [];
    const model = localModel(engine, { modelId: 'tiny', onWarning: (warning) => told.push(warning) });
    const { warnings } = await model.doGenerate({ prompt: [userMessage('Hi')] });
    await model.doGenerate({ prompt: [userMessage('Hi')] });
    expect(told).toEqual([expect.stringMatching(/chat template.*cannot be used/)]);
    expect(warnings).toMatchObject([
      { type: 'other', message: expect.stringMatching(/chat template.*cannot be used/) },
    ]);
  });
});

test.skipIf(missing)('what was said is never left out, however little room there is for the answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-room-'));
  const file = join(folder, 'tiny.gguf');
  writeFileSync(file, tinyModelBytes());
  const engine = new LlamaEngine({ ...settingsFor(file), contextTokens: 2_048 });
  const tools: LanguageModelV4CallOptions['tools'] = [
    {
      type: 'function',
      name: 'weather',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ];
  const ask = async (length: number) =>
    await localModel(engine, { modelId: 'tiny' }).doGenerate({
      prompt: [userMessage(`begin ${'x'.repeat(length)}`)],
      tools,
    });
  const least = (await ask(0)).usage.inputTokens.total ?? 0;
  const outcomes: string[] = [];
  for (let room = 100; room >= 20; room -= 4) {
    const length = 2_048 - least - room;
    const reply = await ask(length).catch((error: Error) => error);
    outcomes.push(reply instanceof Error ? reply.name : reply.finishReason.unified);
    if (reply instanceof Error) continue;
    expect(reply.usage.inputTokens.total).toBe(2_048 - room);
    // All but the last token is still there, so nothing of it was dropped.
    expect((await ask(length)).usage.inputTokens.noCache).toBe(1);
  }
  expect([...new Set(outcomes)]).toEqual(['tool-calls', 'length', 'ContextOverflowError']);
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(missing)(`a model that thinks${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-thought-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const ask = async (bytes: Uint8Array, reasoning?: LanguageModelV4CallOptions['reasoning']): Promise<string[]> => {
    const file = join(folder, 'tiny.gguf');
    writeFileSync(file, bytes);
    const engine = new LlamaEngine(settingsFor(file));
    const options = { prompt: [userMessage('Hi')], ...(reasoning && { reasoning }) };
    const { content } = await localModel(engine, { modelId: 'tiny' }).doGenerate(options);
    await engine.close();
    return content.map((part) => ('text' in part ? part.text : part.type));
  };
  const hello = 'Hello from the tiny test model.';

  test('is told by any chat template that can tell it not to', async () => {
    // Of no kind that node-llama-cpp knows by itself.
    const chatTemplate =
      "{%- for message in messages %}{{- '<|im_start|>' + message.role + ':\\n' }}" +
      "{%- if message.role == 'assistant' and not enable_thinking %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}" +
      "{{- message.content + '<|im_end|>\\n' }}{%- endfor %}" +
      "{%- if add_generation_prompt %}{{- '<|im_start|>assistant:\\n' }}{%- endif %}";
    const bytes = tinyModelBytes({ thinks: true, chatTemplate });
    expect(await ask(bytes)).toEqual([hello]);
    expect((await ask(bytes, 'low')).join()).toContain('A thought.');
  });

  test('has its thought cut short where its chat template cannot tell it', async () => {
    const bytes = Buffer.from(tinyModelBytes({ thinks: true })).toString('latin1');
    const untold = bytes.replaceAll('enable_thinking', 'enable_anything');
    expect(await ask(Buffer.from(untold, 'latin1'))).toEqual(['A thought', hello]);
  });
});

test.skipIf(missing)('llama.cpp makes a grammar of every schema', async () => {
  const { llama } = await startLlama(await loadLlamaRuntime({}), false);
  const count = fc.constantFrom(3, 500, 1_000, 1_500, 2_000, 5_000);
  const bound = (lowest: string, highest: string) =>
    fc.oneof(fc.record({ [lowest]: count }), fc.record({ [highest]: count }), fc.constant({}));
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null') }),
      bound('minLength', 'maxLength').map((bounds) => ({ type: 'string', ...bounds })),
      fc.constantFrom<JsonSchema>(
        {},
        { $ref: '#' },
        { const: 'x"\\\n' },
        { enum: ['a', 1, null] },
        { type: 'object' },
        { type: 'array' },
      ),
      fc
        .tuple(tie('schema'), bound('minItems', 'maxItems'))
        .map(([items, bounds]) => ({ type: 'array', items, ...bounds })),
      fc.record({ type: fc.constant('array'), prefixItems: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(fc.string(), tie('schema'), { maxKeys: 4 }),
          required: fc.constant(['a']),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        },
        { requiredKeys: ['type', 'properties'] },
      ),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(schema, async (inner) => {
      // Refers to itself only from within, as every schema that says something does.
      const given = { type: 'object', properties: { inner } } as JsonSchema;
      // The type parameter wants to know the schema's shape.
      await llama.createGrammarForJsonSchema(llamaSchema(given).schema as { type: 'object' });
    }),
    { numRuns: 150 },
  );
});
