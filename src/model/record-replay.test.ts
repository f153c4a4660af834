import { spawn } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateError, UsageError } from '../core/errors.ts';
import { isTextOnly, sourceOf } from './capability.ts';
import { type Generated, generate } from './collect.ts';
import { modelSize } from './model-size.ts';
import { functionModel } from './providers/function-model.ts';
import { scriptedModel } from './providers/script-model.ts';
import { recordModel, replayModel } from './record-replay.ts';
import { streamOf, usageFrom } from './reply-parts.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'record-'));
  file = join(folder, 'deep', 'calls.jsonl');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function asks(...texts: string[]): LanguageModelV4CallOptions {
  return { prompt: texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] })) };
}

async function reply(model: LanguageModelV4, call: LanguageModelV4CallOptions, stream = false): Promise<Generated> {
  return await generate(model, call, { stream });
}

async function textOf(model: LanguageModelV4, call: LanguageModelV4CallOptions, stream = false): Promise<string> {
  const { content } = await reply(model, call, stream);
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const rich = {
  reasoning: 'hm',
  text: 'Let me look. ',
  calls: [{ tool: 'look', input: { at: 1 }, id: 'c1' }],
  usage: { inputTokens: 9, outputTokens: 4 },
};

describe('recording and replaying', () => {
  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('gives the same reply, streamed %s when recorded and %s when replayed', async (recorded, replayed) => {
    const live = await reply(recordModel(scriptedModel([rich]), file), asks('q'), recorded);
    expect(await reply(replayModel(file), asks('q'), replayed)).toEqual(live);
  });

  it('says what it is, and takes the place of the model it recorded', async () => {
    const inner = functionModel(() => 'x', { name: 'mine' });
    const recording = recordModel(inner, file);
    expect([sourceOf(recording), isTextOnly(recording), recording.modelId]).toEqual(['function', true, 'mine']);
    await textOf(recording, asks('q'));
    const replay = replayModel(file);
    expect([sourceOf(replay), isTextOnly(replay), replay.modelId, replay.provider]).toEqual([
      'replayed',
      true,
      'mine',
      'function',
    ]);
  });

  it('is asked like the model it recorded, and one recorded before that was kept as ever', async () => {
    const small = { ...scriptedModel(['x']), source: 'provider' as const, modelId: 'qwen3:4b', contextTokens: 4_096 };
    await textOf(recordModel(small, file), asks('q'));
    const { why: _, ...recorded } = modelSize(small);
    expect(modelSize(replayModel(file))).toMatchObject({ ...recorded, small: true });
    await writeFile(file, (await readFile(file, 'utf8')).replace(/,"size":\{[^}]*\}/, ''));
    expect(modelSize(replayModel(file))).toMatchObject({ small: false });
  });

  it('keeps the time and the id of a response', async () => {
    const response = { id: 'r1', modelId: 'm', timestamp: new Date(1_900_000_000_000) };
    const inner = scriptedModel(['a', 'b']);
    const timed: LanguageModelV4 = {
      ...inner,
      doGenerate: async (call) => ({
        ...(await inner.doGenerate(call)),
        response: { ...response, headers: { 'set-cookie': 'c' } },
      }),
      doStream: async (call) => {
        const { stream } = await inner.doStream(call);
        return {
          stream: ReadableStream.from([
            { type: 'response-metadata' as const, ...response },
            ...(await Array.fromAsync(stream)),
          ]),
        };
      },
    };
    const recording = recordModel(timed, file);
    for (const stream of [false, true]) await reply(recording, asks(`stream ${stream}`), stream);
    for (const stream of [false, true]) {
      expect((await reply(replayModel(file), asks(`stream ${stream}`), stream)).response).toEqual(response);
    }
    expect(await readFile(file, 'utf8')).not.toContain('set-cookie');
  });

  it('tells requests apart by content, and by nothing else', async () => {
    const recording = recordModel(scriptedModel(['plain', 'warm', 'json']), file);
    const json = { type: 'json' as const, schema: { type: 'object' as const, properties: {} } };
    await textOf(recording, { ...asks('q'), headers: { authorization: 'Bearer hush' } });
    await textOf(recording, { ...asks('q'), temperature: 1 });
    await textOf(recording, { ...asks('q'), responseFormat: json });
    const replay = replayModel(file);
    const { signal } = new AbortController();
    expect(
      await textOf(replay, {
        ...asks('q'),
        responseFormat: { schema: { properties: {}, type: 'object' }, type: 'json' },
      }),
    ).toBe('json');
    expect(await textOf(replay, { ...asks('q'), temperature: 1 })).toBe('warm');
    expect(await textOf(replay, { ...asks('q'), abortSignal: signal, headers: { 'idempotency-key': 'k2' } })).toBe(
      'plain',
    );
    expect(await readFile(file, 'utf8')).not.toContain('hush');
  });

  it('tells files in a prompt apart', async () => {
    const withFile = (byte: number): LanguageModelV4CallOptions => ({
      prompt: [
        {
          role: 'user',
          content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.of(byte) } }],
        },
      ],
    });
    const recording = recordModel(scriptedModel(['one', 'two']), file);
    for (const byte of [1, 2]) await textOf(recording, withFile(byte));
    expect(await textOf(replayModel(file), withFile(2))).toBe('two');
  });

  it('gives equal requests their replies in order, and then the last again', async () => {
    const recording = recordModel(scriptedModel(['first', 'second', 'other']), file);
    for (const call of [asks('q'), asks('q'), asks('p')]) await textOf(recording, call);
    const replay = replayModel(file);
    const replies = [await textOf(replay, asks('q')), await textOf(replay, asks('p')), await textOf(replay, asks('q'))];
    expect([...replies, await textOf(replay, asks('q'))]).toEqual(['first', 'other', 'second', 'second']);
  });

  it('adds to a file that exists', async () => {
    for (const [question, answer] of [
      ['a', '1'],
      ['b', '2'],
    ] as const) {
      await textOf(recordModel(scriptedModel([answer]), file), asks(question));
    }
    const replay = replayModel(file);
    expect([await textOf(replay, asks('b')), await textOf(replay, asks('a'))]).toEqual(['2', '1']);
  });

  it('leaves failed and cut calls out', async () => {
    const recording = recordModel(
      scriptedModel([{ error: { status: 500, message: 'x' } }, { text: 'half', stream: 'cut' }, 'whole']),
      file,
    );
    for (let call = 0; call < 2; call++) await reply(recording, asks('q'), true).catch(() => undefined);
    await textOf(recording, asks('q'), true);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(await textOf(replayModel(file), asks('q'))).toBe('whole');
  });

  it('leaves out a stream with an error event, though a finish part follows it', async () => {
    const finish = {
      type: 'finish' as const,
      finishReason: { unified: 'error' as const, raw: undefined },
      usage: usageFrom(undefined),
    };
    const failing: LanguageModelV4 = {
      ...scriptedModel([]),
      doStream: async () => ({ stream: streamOf([{ type: 'error', error: { message: 'busy' } }, finish]) }),
    };
    const { stream } = await recordModel(failing, file).doStream(asks('q'));
    expect(await Array.fromAsync(stream)).toHaveLength(2);
    expect(await readFile(file, 'utf8')).toBe('');
  });

  it('compares what is left after normalising', async () => {
    await textOf(recordModel(scriptedModel(['found']), file), asks('Today is 2031-01-02. Hello'));
    const blank = { normalise: (text: string): string => text.replace(/\d{4}-\d\d-\d\d/g, 'DATE') };
    expect(await textOf(replayModel(file, blank), asks('Today is 2032-03-04. Hello'))).toBe('found');
  });

  it('keeps what was recorded before a kill', async () => {
    const code = `
      const { recordModel } = await import(${JSON.stringify(join(import.meta.dirname, 'record-replay.ts'))});
      const { functionModel } = await import(${JSON.stringify(join(import.meta.dirname, 'providers/function-model.ts'))});
      const model = recordModel(functionModel(() => 'kept'), ${JSON.stringify(file)});
      await model.doGenerate(${JSON.stringify(asks('q'))});
      process.kill(process.pid, 'SIGKILL');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'ignore' });
    const signal = await new Promise((resolve) => child.on('exit', (_code, killedBy) => resolve(killedBy)));
    expect(signal).toBe('SIGKILL');
    expect(await textOf(replayModel(file), asks('q'))).toBe('kept');
  });
});

describe('a miss', () => {
  beforeEach(async () => {
    const recording = recordModel(scriptedModel(['1', '2', '3']), file);
    await textOf(recording, asks('Plan the trip', 'Go to Oslo by train in May'));
    await textOf(recording, asks('Plan the trip', 'Stay at home'));
    await textOf(recording, asks('Something else'));
  });

  it('shows the nearest request and the first difference side by side', async () => {
    const missing = textOf(replayModel(file), asks('Plan the trip', 'Go to Oslo by train in June'));
    await expect(missing).rejects.toBeInstanceOf(StateError);
    await expect(missing).rejects.toThrow(
      /3 recorded.*line 1, the same up to message 1 of 2.*recorded: .*May.*now: .*June/s,
    );
  });

  it('says when the conversation is longer than any recorded one', async () => {
    await expect(textOf(replayModel(file), asks('Something else', 'and more'))).rejects.toThrow(
      /line 3, the same up to message 1 of 2.*recorded: \(no message\).*and more/s,
    );
  });

  it('names the field when the messages are the same', async () => {
    await expect(textOf(replayModel(file), { ...asks('Something else'), temperature: 0.5 })).rejects.toThrow(
      /line 3, with the same messages; they differ in temperature/,
    );
  });

  it('stays short for long prompts', async () => {
    const error: unknown = await textOf(replayModel(file), asks('y'.repeat(100_000))).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error).length).toBeLessThan(1000);
  });
});

describe('a file that cannot be used', () => {
  it('is wrong usage when missing or empty', async () => {
    expect(() => replayModel(join(folder, 'none.jsonl'))).toThrow(UsageError);
    await writeFile(join(folder, 'empty'), '\n');
    expect(() => replayModel(join(folder, 'empty'))).toThrow(/empty/);
    expect(() => recordModel(scriptedModel([]), folder)).toThrow(UsageError);
  });

  it.each([
    'not json',
    '{"request":{"prompt":[]}}',
    '{"model":{"provider":"p","modelId":"m"},"request":{"prompt":[]}}',
  ])('names the line that holds %s', async (line) => {
    await textOf(recordModel(scriptedModel(['a']), file), asks('q'));
    await appendFile(file, `${line}\n`);
    expect(() => replayModel(file)).toThrow(/line 2 .*corrupt/);
    expect(() => replayModel(file)).toThrow(UsageError);
  });

  it('skips a last line that a crash left half, and reads one without a line break', async () => {
    const recording = recordModel(scriptedModel(['a', 'b']), file);
    await textOf(recording, asks('q'));
    await textOf(recording, asks('p'));
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.slice(0, -1));
    expect(await textOf(replayModel(file), asks('p'))).toBe('b');
    await writeFile(file, whole.slice(0, -20));
    expect(await textOf(replayModel(file), asks('q'))).toBe('a');
    await expect(textOf(replayModel(file), asks('p'))).rejects.toThrow(/1 recorded/);
  });
});
