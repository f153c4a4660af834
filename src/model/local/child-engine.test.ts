import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userMessage } from '../../core/transcript.ts';
import { whyNoLlama } from '../../testing/llama-missing.ts';
import { writeTinyModel } from '../../testing/tiny-model.ts';
import { classifyError } from '../classify-error.ts';
import { ChildEngine } from './child-engine.ts';
import { localModel } from './local-model.ts';

const missing = await whyNoLlama();
const hello = [{ type: 'text', text: 'Hello from the tiny test model.' }];

describe.skipIf(missing)(`the process of a local model${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-child-'));
  const file = join(folder, 'tiny.gguf');
  const settings = { file, modelId: 'tiny', threads: 1, gpu: false, contextTokens: 16_384 };
  const engine = new ChildEngine(settings, { abortGraceMs: 200 });
  beforeAll(() => {
    writeTinyModel(file);
    process.env['ASSAY_TEST_API_KEY'] = 'hunter2';
  });
  afterAll(async () => {
    delete process.env['ASSAY_TEST_API_KEY'];
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (text = 'Hi', abortSignal?: AbortSignal) =>
    await localModel(engine, { modelId: 'tiny' }).doGenerate({
      prompt: [userMessage(text)],
      maxOutputTokens: 20,
      ...(abortSignal && { abortSignal }),
    });

  test('it gets no keys', async () => {
    expect((await ask()).content).toEqual(hello);
    const environment = process.platform === 'linux' ? readFileSync(`/proc/${engine.pid}/environ`, 'utf8') : 'PATH=';
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('hunter2');
  });

  test('a crash fails the calls in it, which may be tried again, and the next call starts a new process', async () => {
    const { pid } = engine;
    const reading = [ask('the quick brown fox '.repeat(700)), ask()];
    setTimeout(() => process.kill(Number(pid), 'SIGKILL'), 20);
    for (const outcome of await Promise.allSettled(reading)) {
      const failure = classifyError(outcome.status === 'rejected' && outcome.reason);
      expect(failure).toMatchObject({ retryable: true, kind: 'interrupted' });
      expect(failure.message).toMatch(/process of the local model tiny ended with SIGKILL/);
    }
    expect((await ask()).content).toEqual(hello);
    expect(engine.pid).not.toBe(pid);
  });

  test('a process that hangs is left at once and ended after a while, and the next call starts a new one', async () => {
    const pid = Number(engine.pid);
    process.kill(pid, 'SIGSTOP');
    const controller = new AbortController();
    const hanging = ask('Hi', controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(hanging).rejects.toThrow('enough');
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect((await ask()).content).toEqual(hello);
  });

  /** A program that has an engine, with `ask` and `tell`, which prints the id of the model's process. */
  function program(body: string): ChildProcess {
    const url = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    const code = `
      import { ChildEngine } from ${url('child-engine.ts')};
      import { localModel } from ${url('local-model.ts')};
      const engine = new ChildEngine(${JSON.stringify(settings)});
      const tell = () => console.log(engine.pid);
      const ask = (text, onReadProgress) =>
        localModel(engine, { modelId: 'tiny', onReadProgress }).doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text }] }] });
      ${body}`;
    return spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function modelPid(child: ChildProcess): Promise<number> {
    const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [string];
    return Number(line);
  }

  test.concurrent('it does not keep a program alive, and ends with it', async ({ expect }) => {
    const child = program("await ask('Hi'); tell();");
    const pid = await modelPid(child);
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test.concurrent('a program can wait for its end', async ({ expect }) => {
    const child = program("await ask('Hi'); tell(); await engine.close(); process.exitCode = 7;");
    const pid = await modelPid(child);
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(7);
    expect(isAlive(pid)).toBe(false);
  });

  test.concurrent('it ends when the program is killed while a prompt is being read', async ({ expect }) => {
    // Enough for half a minute.
    const child = program(`
      const long = (start) => start + 'the quick brown fox '.repeat(700);
      const telling = ({ read }) => read > 500 && tell();
      await Promise.all(Array.from({ length: 30 }, (_, index) => ask(long(index), index === 0 ? telling : undefined)));`);
    const pid = await modelPid(child);
    child.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  });
});

/** Whoever adopts a process whose parent is gone may take its time to bury it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
