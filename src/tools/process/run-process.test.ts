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

  describe('with a control stream', () => {
    const control = { request: 'question', startupMs: 10_000, maxBytes: 5_000 };
    const ready = 'const fs = require("fs"); const asked = fs.readFileSync(3, "utf8"); fs.writeSync(3, "\\n");';

    it('sends the request and gives the report beside the output', async () => {
      const end = await runProcess(node(`${ready} fs.writeSync(3, asked + "!"); console.log("out")`, { control }));
      expect([end.report.toString(), end.stdout.toString()]).toEqual(['\nquestion!', 'out\n']);
      expect(end.readyMs).toBeGreaterThanOrEqual(0);
    });

    it('counts the time from the first byte', async () => {
      const slowStart = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);';
      const end = await runProcess(node(`${slowStart} ${ready} for (;;);`, { control, timeoutMs: 400 }));
      expect(end.stopped).toBe('timeout');
      expect(end.readyMs).toBeGreaterThan(350);
    });

    it('ends a program that is never ready', async () => {
      const end = await runProcess(node('for (;;);', { control: { ...control, startupMs: 300 }, timeoutMs: 60_000 }));
      expect([end.stopped, end.readyMs]).toEqual(['timeout', undefined]);
    });

    it('bounds the report like the output', async () => {
      const end = await runProcess(node(`${ready} for (;;) fs.writeSync(3, "x".repeat(1000))`, { control }));
      expect([end.stopped, end.report.length]).toEqual(['output', 5_000]);
    });
  });

  it('gives the program its data on descriptor 4', async () => {
    const code = 'process.stdout.write(require("fs").readFileSync(4))';
    const end = await runProcess(node(code, { data: Buffer.from([104, 105]) }));
    expect(end.stdout.toString()).toBe('hi');
  });
});
