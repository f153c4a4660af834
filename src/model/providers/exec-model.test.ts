import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { isTextOnly, sourceOf } from '../capability.ts';
import { generate } from '../collect.ts';
import { type ExecModelOptions, execModel } from './exec-model.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exec-model-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const request: LanguageModelV4CallOptions = {
  prompt: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: [{ type: 'text', text: 'Grüß mich' }] },
  ],
  responseFormat: { type: 'json' },
};

let programs = 0;

/** A model whose command runs this JavaScript. */
async function command(code: string, options: ExecModelOptions = {}): Promise<LanguageModelV4> {
  programs++;
  const file = join(folder, `program ${programs}.cjs`);
  await writeFile(file, code);
  return execModel(`"${process.execPath}" '${file}'`, options);
}

async function answer(code: string, options: ExecModelOptions = {}) {
  return await generate(await command(code, options), request, { stream: false });
}

const say = (text: string): string => `process.stdout.write(${JSON.stringify(text)})`;

describe('execModel', () => {
  it('writes the request as JSON and reads a plain text', async () => {
    const { content, finishReason } = await answer(
      `let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', () => {
        const { system, prompt, responseFormat } = JSON.parse(text);
        console.log(system, prompt.length, prompt[0].content[0].text, responseFormat.type);
      });`,
    );
    expect(content).toEqual([{ type: 'text', text: 'Be kind. 1 Grüß mich json' }]);
    expect(finishReason.unified).toBe('stop');
  });

  it('reads a reply object with calls and usage', async () => {
    const reply = await answer(
      say(
        '{"text":"Let me see","toolCalls":[{"name":"look","input":{"at":1}}],"usage":{"inputTokens":7,"outputTokens":2}}',
      ),
    );
    expect(reply.content).toEqual([
      { type: 'text', text: 'Let me see' },
      { type: 'tool-call', toolCallId: 'call-2-0', toolName: 'look', input: '{"at":1}' },
    ]);
    expect(reply.finishReason.unified).toBe('tool-calls');
    expect(reply.usage).toMatchObject({ inputTokens: { total: 7 }, outputTokens: { total: 2 } });
  });

  it.each(['{"type":"final","answer":"42","claims":[]}', '{"text":"a","mood":"b"}', '{}', '{"broken', '[1]'])(
    'takes %s as the text of the reply',
    async (text) => {
      expect((await answer(say(text))).content).toEqual([{ type: 'text', text }]);
    },
  );

  it('is text-only unless told otherwise, and a command', async () => {
    const plain = execModel('ask it');
    expect([isTextOnly(plain), sourceOf(plain), plain.modelId]).toEqual([true, 'command', 'ask it']);
    expect(isTextOnly(execModel('ask', { toolCalling: true }))).toBe(false);
  });

  it('runs in the folder and with the environment it is given', async () => {
    const { content } = await answer(`console.log(process.cwd().endsWith(process.env.EXPECTED))`, {
      cwd: folder,
      env: { EXPECTED: folder },
    });
    expect(content).toEqual([{ type: 'text', text: 'true' }]);
  });

  it('can answer a request it does not read', async () => {
    const big = { ...request, prompt: [{ role: 'system' as const, content: 'x'.repeat(3_000_000) }] };
    const model = await command(`process.stdin.destroy(); ${say('fine')}; process.exitCode = 0`);
    expect((await generate(model, big, { stream: true })).content).toEqual([{ type: 'text', text: 'fine' }]);
  });
});

describe('a command that fails', () => {
  it.each<[string, string, RegExp]>([
    [
      'with an exit code',
      `console.error('one\\ntwo: out of memory'); process.exit(3)`,
      /exit code 3: one\ntwo: out of memory/,
    ],
    ['by a signal', `process.kill(process.pid, 'SIGKILL')`, /signal SIGKILL/],
    ['without a reply', `console.log(' ')`, /no reply/],
    ['with bytes that are not UTF-8', `process.stdout.write(Buffer.from([0x61, 0xff, 0x62]))`, /UTF-8/],
    ['with a malformed reply object', say('{"text":5}'), /text/],
    [
      'with too much output',
      `process.stdout.write('x'.repeat(9 * 1024 * 1024)); setInterval(() => {}, 1000)`,
      /8388608 bytes/,
    ],
  ])('%s says so', async (_name, code, message) => {
    await expect(answer(code)).rejects.toThrow(message);
  });

  it('because it does not exist is wrong usage', async () => {
    await expect(generate(execModel('no-such-program-here'), request, { stream: false })).rejects.toBeInstanceOf(
      UsageError,
    );
    expect(() => execModel('ask "open')).toThrow(UsageError);
  });

  /** Writes its own pid and the pid of a child of its own, then waits. */
  const family = (file: string): string => `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    require('node:fs').writeFileSync(${JSON.stringify(file)}, process.pid + ' ' + child.pid);
    setInterval(() => {}, 1000);`;

  async function expectGone(file: string): Promise<void> {
    const pids = (await readFile(file, 'utf8')).split(' ').map(Number);
    const alive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => pids.some(alive), { timeout: 10_000 }).toBe(false);
  }

  it('to answer in time is ended with its children', async () => {
    const file = join(folder, 'timeout-pids');
    await expect(answer(family(file), { timeoutMs: 1_500 })).rejects.toThrow(/within 1.5 s/);
    await expectGone(file);
  });

  it('is ended with its children on abort, at once', async () => {
    const file = join(folder, 'abort-pids');
    const model = await command(family(file));
    const controller = new AbortController();
    const call = model.doGenerate({ ...request, abortSignal: controller.signal });
    const settled = expect(call).rejects.toThrow('enough');
    await expect.poll(() => readFile(file, 'utf8').catch(() => ''), { timeout: 10_000 }).toMatch(/\d \d/);
    controller.abort(new Error('enough'));
    await settled;
    await expectGone(file);
  });

  it('to close its output because of a grandchild still gives its reply', async () => {
    const { content } = await answer(`
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['-e', 'setTimeout(() => {}, 6000)'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true }).unref();
      ${say('done')}`);
    expect(content).toEqual([{ type: 'text', text: 'done' }]);
  });
});
