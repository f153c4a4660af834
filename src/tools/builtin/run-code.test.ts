import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { nativeSandbox } from './run-code/native-sandbox.ts';
import type { CodeOutcome } from './run-code/run-in-sandbox.ts';
import { describeSandbox, type RunCodeOptions, runCode } from './run-code.ts';

const context = { idempotencyKey: 'key', attempt: 1, signal: new AbortController().signal };

async function run(
  language: string,
  code: string,
  options: RunCodeOptions & { stdin?: string } = {},
): Promise<CodeOutcome> {
  const made = runCode(options);
  const args = made.input.parse({ language, code, stdin: options.stdin });
  // The tool returns its outcome as JSON.
  return (await made.run(args, context)) as CodeOutcome;
}

const native = await nativeSandbox('python');
if ('missing' in native) console.warn(`skipped: the native sandbox, because ${native.missing}`);
const kinds = 'missing' in native ? (['wasm'] as const) : (['wasm', 'native'] as const);

let server: Server;
let port = 0;
let connections = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

describe.each(kinds)('runCode in the %s sandbox', (sandbox) => {
  it('gives output, the value of the last expression and the sandbox', async () => {
    const outcome = await run('javascript', 'console.log("two", [2]); console.error("oops"); const x = 6; x * 7', {
      sandbox,
    });
    expect(outcome).toMatchObject({ ended: 'completed', result: '42', stderr: 'oops\n' });
    expect(outcome.stdout).toMatch(/^two \[ ?2 ?\]\n$/);
    expect(outcome.sandbox).toContain(sandbox === 'wasm' ? 'QuickJS' : 'Node');
  });

  it('does not count the result as output', async () => {
    const outcome = await run('javascript', '"\\u0001".repeat(30_000)', { sandbox, maxOutputBytes: 1_000 });
    expect(outcome).toMatchObject({ ended: 'completed', result: expect.stringMatching(/\[cut here\]$/) });
  });

  it('gives no result for code without a value', async () => {
    expect(await run('javascript', 'const x = 1;', { sandbox })).not.toHaveProperty('result');
  });

  it('waits for promises and takes top-level await', async () => {
    expect(await run('javascript', '(async () => (await 4) + 1)()', { sandbox })).toMatchObject({ result: '5' });
    const code = 'const late = await Promise.resolve(6); export default late + 1';
    expect(await run('javascript', code, { sandbox })).toMatchObject({ ended: 'completed', result: '7' });
  });

  it('strips the types of TypeScript', async () => {
    const code = 'interface Point { x: number } const point: Point = { x: 20 }; point.x + (22 as number)';
    expect(await run('typescript', code, { sandbox })).toMatchObject({ ended: 'completed', result: '42' });
    expect(await run('typescript', 'enum No { A }', { sandbox })).toMatchObject({ ended: 'error' });
  });

  it('tells of an error of the code, with what was printed before', async () => {
    const outcome = await run('javascript', 'console.log("before"); null.x', { sandbox });
    expect(outcome).toMatchObject({ ended: 'error', stdout: 'before\n' });
    expect(outcome.stderr).toMatch(/TypeError.*null/i);
  });

  it('gives each call a fresh state', async () => {
    await run('javascript', 'globalThis.left = 1; Object.prototype.left = 1', { sandbox });
    expect(await run('javascript', 'typeof left + typeof ({}).left', { sandbox })).toMatchObject({
      result: expect.stringMatching(/^["']undefinedundefined["']$/),
    });
  });

  it('ends code at its time limit, keeps what it printed, and the next call works', { retry: 2 }, async () => {
    const delay = watchDelay();
    const code = 'console.log("started"); while (true) {}';
    const outcome = await run('javascript', code, { sandbox, timeoutMs: 400 });
    expect(outcome).toMatchObject({ ended: 'timeout', stdout: 'started\n' });
    expect(outcome.ms).toBeLessThan(600);
    expect(delay()).toBeLessThan(150);
    expect(await run('javascript', '1', { sandbox })).toMatchObject({ ended: 'completed', result: '1' });
  });

  it('ends code that prints without end', async () => {
    const code = 'for (;;) console.log("x".repeat(1e6))';
    const outcome = await run('javascript', code, { sandbox, maxOutputBytes: 5_000 });
    expect(outcome).toMatchObject({ ended: 'too much output', stdout: 'x'.repeat(5_000) });
  });

  it('ends code when the run is cancelled', async () => {
    const controller = new AbortController();
    const args = { language: 'javascript', code: 'while (true) {}', stdin: '' };
    const running = runCode({ sandbox }).run(args, { ...context, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(running).rejects.toThrow('enough');
  });
});

describe.skipIf('missing' in native)('Python in the native sandbox', () => {
  const options = { sandbox: 'native' } as const;

  it('gives output, the value of the last expression and the sandbox', async () => {
    const code = 'import sys\nprint("é", input(), sys.stdin.read())\nprint("oops", file=sys.stderr)\n{"a": [1, 2]}';
    expect(await run('python', code, { ...options, stdin: 'one\ntwo' })).toMatchObject({
      ...{ ended: 'completed', result: "{'a': [1, 2]}", stdout: 'é one two\n', stderr: 'oops\n' },
      sandbox: 'python3 in bubblewrap',
    });
  });

  it('tells of an error with the line of the code and nothing of its own', async () => {
    const { stderr, ended } = await run('python', 'def half(x):\n    return x / 0\nhalf(1)', options);
    expect(ended).toBe('error');
    expect(stderr).toMatch(/line 3, in <module>\n {4}half\(1\)\n(.*\n)*.*line 2, in half\n/);
    expect(stderr).not.toContain('evaluate');
  });

  it.each([
    ['raise SystemExit', { ended: 'completed' }],
    ['import sys; sys.exit("bad input")', { ended: 'error', stderr: 'bad input\n' }],
    ['import os; os._exit(7)', { ended: 'error', exitCode: 7 }],
    ['import os, signal; os.kill(os.getpid(), signal.SIGSEGV)', { ended: 'killed' }],
    ['import os; os.write(3, b"{forged"); 1', { ended: 'completed' }],
    ['x = (', { ended: 'error' }],
  ])('knows how the code ended: %s', async (code, expected) => {
    expect(await run('python', code, options)).toMatchObject(expected);
  });
});

describe('runCode', () => {
  it('reaches no server', async () => {
    const js = `try { require('node:net').connect(${port}, '127.0.0.1').on('error', () => {}) } catch {}
      try { fetch('http://127.0.0.1:${port}/').catch(() => {}) } catch {}`;
    const py = `import socket\nfor host in ('127.0.0.1', 'localhost'):\n  try: socket.create_connection((host, ${port}), 1)\n  except OSError as e: print('no')`;
    await Promise.all(kinds.map((sandbox) => run('javascript', js, { sandbox })));
    if (!('missing' in native)) expect((await run('python', py, { sandbox: 'native' })).stdout).toBe('no\nno\n');
    expect(connections).toBe(0);
  });

  it('says what would run code here', async () => {
    const report = await describeSandbox('wasm');
    expect(report).toMatchObject({
      javascript: { works: true, detail: expect.stringMatching(/^QuickJS/) },
      python: { works: true, detail: expect.stringMatching(/^Pyodide/) },
    });
    expect(report.shell.detail).toMatch(report.shell.works ? /bubblewrap/ : /;/);
    expect((await describeSandbox('native')).python.works).toBe(!('missing' in native));
  });

  it('has no effect and touches nothing', () => {
    const made = runCode();
    expect([made.effect, made.touches?.({ language: 'python', code: '"http://x.example"' })]).toEqual(['read', {}]);
  });

  it('offers only the languages that were chosen', () => {
    const { input } = runCode({ languages: ['python'] });
    expect(input.safeParse({ language: 'javascript', code: '1' }).success).toBe(false);
  });

  it.each([{ timeoutMs: 0 }, { memoryMb: Number.NaN }, { maxOutputBytes: -1 }, { languages: [] }])(
    'refuses a limit that is none: %o',
    (options) => expect(() => runCode(options)).toThrow(UsageError),
  );
});

/** The longest time for which this process's event loop stood still since. */
function watchDelay(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 10);
    last = performance.now();
  }, 10);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
