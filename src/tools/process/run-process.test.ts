import { describe, expect, it } from 'vitest';
import { type ProcessRun, runProcess } from './run-process.ts';

function node(code: string, options: Partial<ProcessRun> = {}): ProcessRun {
  return { program: process.execPath, args: ['-e', code], timeoutMs: 10_000, maxOutputBytes: 10_000, ...options };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('runProcess', () => {
  it('gives both outputs, the input and the exit code', async () => {
    const code =
      'process.stdin.on("data", (d) => { console.log("in " + d); console.error("err"); process.exitCode = 3 })';
    const end = await runProcess(node(code, { input: 'x' }));
    expect([end.code, end.stdout.toString(), end.stderr.toString()]).toEqual([3, 'in x\n', 'err\n']);
    expect(end.stopped).toBeUndefined();
  });

  it('kills a program and its children at the time limit', async () => {
    const child =
      'require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {stdio: "ignore"})';
    const end = await runProcess(node(`console.log(${child}.pid); while (true) {}`, { timeoutMs: 500 }));
    expect(end.stopped).toBe('timeout');
    const pid = Number(end.stdout.toString());
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it('keeps the beginning of too much output', async () => {
    const end = await runProcess(node('for (;;) process.stdout.write("x".repeat(1000))', { maxOutputBytes: 2_500 }));
    expect([end.stopped, end.stdout.length]).toEqual(['output', 2_500]);
  });

  it('takes output of exactly the limit as complete', async () => {
    const end = await runProcess(node('process.stdout.write("x".repeat(100))', { maxOutputBytes: 100 }));
    expect([end.stopped, end.stdout.length]).toEqual([undefined, 100]);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const run = runProcess(node('while (true) {}', { signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(run).rejects.toThrow('enough');
  });

  it('rejects when there is no such program', async () => {
    await expect(runProcess(node('', { program: '/no/such/program' }))).rejects.toThrow('ENOENT');
  });
});
