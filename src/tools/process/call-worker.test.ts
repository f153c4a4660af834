import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { callWorker, type WorkerLimits, workerFile } from './call-worker.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-worker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;

/** A worker with this body; its name is the way to it from the folder of workers. */
function worker(body: string): string {
  const file = path.join(folder, `worker-${++count}.ts`);
  const serve = new URL('serve-worker.ts', import.meta.url).href;
  writeFileSync(file, `import { serveWorker } from '${serve}';\nawait serveWorker(async (request) => { ${body} });\n`);
  return path.relative(path.dirname(workerFile('any')), file).replace(/\.ts$/, '');
}

function call(body: string, limits: Partial<WorkerLimits> = {}): Promise<unknown> {
  return callWorker(worker(body), { n: 20 }, { timeoutMs: 15_000, signal: new AbortController().signal, ...limits });
}

describe('callWorker', () => {
  it('gives the answer of a process of its own', async () => {
    expect(await call('return { twice: request.n * 2, pid: process.pid !== undefined }')).toEqual({
      twice: 40,
      pid: true,
    });
  });

  it('gives the process no environment', async () => {
    process.env['ASSAY_TEST_SECRET'] = 'hunter2';
    try {
      expect(await call('return Object.keys(process.env)')).not.toContain('ASSAY_TEST_SECRET');
    } finally {
      delete process.env['ASSAY_TEST_SECRET'];
    }
  });

  it('keeps what a library prints out of the answer', async () => {
    expect(await call('console.log("noise"); console.info("noise"); return 1')).toBe(1);
  });

  it('keeps the number of processes at once to that of the processors', async () => {
    const log = path.join(folder, 'log');
    const body = `
      const { appendFileSync } = await import('node:fs');
      appendFileSync(${JSON.stringify(log)}, '+');
      await new Promise((resolve) => setTimeout(resolve, 50));
      appendFileSync(${JSON.stringify(log)}, '-');`;
    await Promise.all(Array.from({ length: 8 }, () => call(body)));
    let running = 0;
    const counts = [...readFileSync(log, 'utf8')].map((sign) => (running += sign === '+' ? 1 : -1));
    expect(counts).toHaveLength(16);
    expect(Math.max(...counts)).toBeLessThanOrEqual(Math.max(2, availableParallelism()));
  });

  it('says why a worker failed', async () => {
    await expect(call('throw new Error("no such table")')).rejects.toMatchObject({
      reason: 'failed',
      message: 'no such table',
    });
  });

  it('ends a worker that hangs', async () => {
    const from = performance.now();
    await expect(call('for (;;) {}', { timeoutMs: 700 })).rejects.toMatchObject({ reason: 'timeout' });
    expect(performance.now() - from).toBeLessThan(3_000);
  });

  it('ends a worker whose heap grows too large', async () => {
    const grow = 'const kept = []; for (;;) kept.push(new Array(100_000).fill(0).map(() => ({})));';
    await expect(call(grow, { memoryMb: 32 })).rejects.toMatchObject({ reason: 'memory' });
  });

  it('ends a worker whose answer is too long', async () => {
    await expect(call('return "x".repeat(50_000)', { maxOutputBytes: 10_000 })).rejects.toMatchObject({
      reason: 'output',
    });
  });

  it('tells of a crash with what the process said', async () => {
    await expect(call('console.error("last words"); process.exit(9)')).rejects.toMatchObject({
      reason: 'crash',
      message: expect.stringMatching(/exit code 9: last words/),
    });
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const running = call('for (;;) {}', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(running).rejects.toThrow('enough');
  });
});
