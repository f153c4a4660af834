import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProcess } from '../../process/run-process.ts';
import { type CodeOutcome, runInSandbox } from './run-in-sandbox.ts';
import type { Language, Sandbox } from './sandbox.ts';
import { wasmSandbox } from './wasm-sandbox.ts';

const limits = { memoryMb: 128, timeoutMs: 10_000, maxOutputBytes: 64 * 1024 };

async function sandboxFor(language: Language, alone = false): Promise<Sandbox> {
  const offer = await wasmSandbox(language, alone);
  if ('missing' in offer) throw new Error(offer.missing);
  return offer.sandbox;
}

async function run(
  language: Language,
  code: string,
  options: Partial<typeof limits> & { alone?: boolean } = {},
): Promise<CodeOutcome> {
  const { alone = false, ...own } = options;
  const job = { language, code, stdin: '' };
  return runInSandbox(await sandboxFor(language, alone), job, { ...limits, ...own }, new AbortController().signal);
}

const inBubblewrap = (await sandboxFor('javascript')).label.endsWith('in bubblewrap');
if (!inBubblewrap) console.warn('skipped: the WebAssembly sandboxes inside bubblewrap, which does not work here');

const folder = mkdtempSync(path.join(tmpdir(), 'assay-wasm-'));
const secret = path.join(folder, 'secret');
let server: Server;
let port = 0;
let connections = 0;
beforeAll(async () => {
  writeFileSync(secret, 'hunter2');
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('JavaScript in QuickJS', () => {
  // Each gives a host's value to whoever finds a way to the host; here there is none to find.
  it.each([
    'globalThis.constructor.constructor("return typeof process + typeof require")()',
    'console.log.constructor("return typeof process + typeof require")()',
    'print.constructor.constructor("return typeof process + typeof require")()',
    '(function* () {}).constructor("yield typeof process + typeof require")().next().value',
    'Object.getPrototypeOf(async () => {}).constructor("return typeof process + typeof require")()',
    'try { null.x } catch (e) { e.constructor.constructor("return typeof process + typeof require")() }',
    'try { console.log(Symbol()) } catch (e) {} ; new Function("return typeof process + typeof require")()',
    '(0, eval)("typeof process + typeof require")',
    'Reflect.construct(Function, ["return typeof process + typeof require"])()',
    'Error.prepareStackTrace = (e, frames) => frames; const s = new Error("").stack; typeof process + typeof require',
  ])('has no host behind it: %s', async (code) => {
    expect(await run('javascript', code, { alone: true })).toMatchObject({
      ended: 'completed',
      result: '"undefinedundefined"',
    });
  });

  it.each(['node:fs', 'fs', 'file:///etc/passwd', 'data:text/javascript,export default 1'])(
    'imports nothing: %s',
    async (name) => {
      expect(await run('javascript', `import(${JSON.stringify(name)}).then(() => "leak")`)).toMatchObject({
        ended: 'error',
      });
    },
  );

  it.each([
    ['a builtin that asks no one', 'new Array(1e9).join(",").length + new Array(1e9).toString()'],
    ['a search in a huge object', '[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)'],
    ['a regular expression that backtracks', '/^(\\w+\\s?)*$/.test("ab ".repeat(40) + "!")'],
    ['a wait', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
    ['endless jobs', 'const again = () => Promise.resolve().then(again); again()'],
    ['endless growth', 'let s = "x"; const kept = []; for (;;) { kept.push((s = s.slice(1) + "y".repeat(9999))) }'],
    ['deep recursion', 'const down = (n) => down(n + 1) + 1; for (;;) try { down(0) } catch {}'],
  ])('ends within its time: %s', { retry: 2 }, async (_what, code) => {
    const outcome = await run('javascript', code, { timeoutMs: 500 });
    expect(['timeout', 'error', 'completed', 'killed']).toContain(outcome.ended);
    expect(outcome.ms).toBeLessThan(700);
  });

  it('gives no more memory than its limit', async () => {
    const code = 'new Uint8Array(200 * 1024 * 1024).length';
    expect(await run('javascript', code, { alone: true })).toMatchObject({
      ended: 'error',
      stderr: expect.stringContaining('out of memory'),
    });
    expect(await run('javascript', code, { alone: true, memoryMb: 256 })).toMatchObject({ ended: 'completed' });
  });

  it('marks a result that was cut', async () => {
    const { result } = await run('javascript', '"x".repeat(100_000)');
    expect(result).toMatch(/^"x{19999} \[cut here\]$/);
  });
});

describe('Python in Pyodide', () => {
  const escapes = `
import gc, importlib, os, socket, sys, urllib.request
def tell(what, attempt):
    try: print(what, attempt())
    except BaseException as error: print(what, 'no')
def run_js():
    from pyodide.code import run_js
    return run_js('typeof process')
tell('js', lambda: __import__('js'))
tell('pyodide_js', lambda: importlib.import_module('pyodide_js'))
tell('run_js', run_js)
tell('reload', lambda: importlib.reload(sys.modules['js']))
tell('proxies', lambda: [o for o in gc.get_objects() if type(o).__name__ in ('JsProxy', 'JsCallable', 'JsDoubleProxy')] or 1 / 0)
tell('finder', lambda: [p for o in gc.get_objects() if type(o).__name__ == 'JsFinder' for p in o.jsproxies] or 1 / 0)
tell('system', lambda: os.system('id') == 0 or 1 / 0)
tell('fork', lambda: os.fork())
tell('socket', lambda: socket.create_connection(('127.0.0.1', PORT), 1))
tell('url', lambda: urllib.request.urlopen('http://127.0.0.1:PORT/', timeout=1))
tell('secret', lambda: open('SECRET').read())
tell('environment', lambda: os.environ['ASSAY_TEST_SECRET'])
tell('memory', lambda: len(bytearray(200 * 1024 * 1024)))
open('/tmp/left.txt', 'w').write('x')
# The module behind all of this is still in the interpreter, and hands out functions of JavaScript to who insists.
sys.meta_path.pop(0)
function = __import__('_pyodide_core').create_proxy(lambda: 1).constructor.constructor
tell('proxy', lambda: function('return typeof process')())
# The engine itself would run a text as JavaScript for C; refused, it is broken.
import ctypes
print('C')
ctypes.CDLL(None).emscripten_run_script_int(b'1 + 1')
print('after')
`;

  it('has no way to JavaScript, files, network or programs, and its limit of memory', async () => {
    process.env['ASSAY_TEST_SECRET'] = 'hunter2';
    const outcome = await run('python', escapes.replaceAll('PORT', String(port)).replace('SECRET', secret), {
      alone: true,
    });
    delete process.env['ASSAY_TEST_SECRET'];
    expect(outcome).toMatchObject({ ended: 'error', stderr: expect.stringMatching(/EvalError: Code generation from/) });
    expect(outcome.stdout).not.toContain('after');
    const lines = outcome.stdout.split('\nC\n')[0]!.split('\n');
    expect(lines.filter((line) => !line.endsWith(' no'))).toEqual([]);
    expect(lines.length).toBe(14);
    expect(connections).toBe(0);
  });

  it('sees no file of the call before, gives value and errors, and runs asyncio', async () => {
    const code = `
import asyncio, os, sys, time
async def late(n):
    await asyncio.sleep(0.01)
    return n * 2
time.sleep(0.01)
print(os.path.exists('/tmp/left.txt'), asyncio.run(late(21)), end='')
print('é', file=sys.stderr)
[1, 'two']`;
    expect(await run('python', code)).toMatchObject({
      ...{ ended: 'completed', stdout: 'False 42', stderr: 'é\n', result: "[1, 'two']" },
    });
  });

  it('gives back a long result and long output, in any script', async () => {
    const long = await run('python', `print('y' * 3000 + 'é灯' * 500, end='')\n'x' * 5000 + 'é灯' * 300`);
    expect(long).toMatchObject({ ended: 'completed', stdout: `${'y'.repeat(3_000)}${'é灯'.repeat(500)}` });
    expect(long.result).toBe(`'${'x'.repeat(5_000)}${'é灯'.repeat(300)}'`);
  });

  it('is ended at its time limit, which does not count the start', { retry: 2 }, async () => {
    const outcome = await run('python', 'print("started")\nwhile True: pass', { timeoutMs: 500 });
    expect(outcome).toMatchObject({ ended: 'timeout', stdout: 'started\n' });
    expect(outcome.ms).toBeLessThan(700);
  });
});

/**
 * The second wall: what code could do that has escaped from its engine into the Node process. The probe takes the place of the
 * worker and has all of Node, which the real worker takes away before such code runs.
 */
describe.each([true, ...(inBubblewrap ? [false] : [])])('the process around the engine (alone: %s)', (alone) => {
  const probe = (target: { port: number; secret: string; folder: string; parent: number }): string => `
    const tell = {};
    const attempt = async (what, run) => { try { tell[what] = String(await run()) } catch (error) { tell[what] = 'no' } };
    const load = (name) => process.getBuiltinModule(name);
    const fs = load('node:fs');
    fs.readFileSync(3);
    fs.writeSync(3, '\\n');
    await attempt('read', () => fs.readFileSync('${target.secret}'));
    await attempt('passwd', () => fs.readFileSync('/etc/passwd').length);
    await attempt('environ', () => fs.readFileSync('/proc/${target.parent}/environ').length);
    await attempt('own environ', () => fs.readFileSync('/proc/self/environ').length);
    await attempt('link', () => fs.symlinkSync('${target.secret}', '/tmp/link') ?? fs.readFileSync('/tmp/link'));
    await attempt('write', () => fs.writeFileSync('${target.folder}/written', 'x'));
    await attempt('program', () => load('node:child_process').execFileSync('/bin/sh', ['-c', 'id']));
    await attempt('worker', () => new (load('node:worker_threads').Worker)('1', { eval: true }) && 'made');
    await attempt('addon', () => process.dlopen({ exports: {} }, '${target.secret}'));
    await attempt('wasi', () => new (load('node:wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } }) && 'made');
    await attempt('inspector', () => load('node:inspector').open(0) ?? 'opened');
    await attempt('code', () => (0, eval)('1') && new Function('return 1')());
    await attempt('secret variable', () => process.env.ASSAY_TEST_SECRET ?? Promise.reject());
    ${
      alone
        ? ''
        : `await attempt('parent', () => process.kill(${target.parent}, 0));
    await attempt('connect', () => new Promise((done, failed) => load('node:net').connect(${target.port}, '127.0.0.1', done).on('error', failed)));
    await attempt('interfaces', () => Object.keys(load('node:os').networkInterfaces()).filter((name) => name !== 'lo').join() || Promise.reject());`
    }
    fs.writeSync(1, JSON.stringify(tell));
    process.exit(0);`;

  it('can read no file, start no program and write nothing', async () => {
    process.env['ASSAY_TEST_SECRET'] = 'hunter2';
    const sandbox = await sandboxFor('python', alone);
    const { request: _request, args, ...start } = sandbox.start({ language: 'python', code: '', stdin: '' }, limits);
    const code = probe({ port, secret, folder, parent: process.pid });
    const end = await runProcess({
      ...start,
      args: [...args.slice(0, -1), '--input-type=module', '--eval', code],
      ...{
        timeoutMs: 10_000,
        maxOutputBytes: 64 * 1024,
        control: { request: '', startupMs: 10_000, maxBytes: 10_000 },
      },
    });
    delete process.env['ASSAY_TEST_SECRET'];
    expect(end.stderr.toString()).toBe('');
    const told = JSON.parse(end.stdout.toString()) as Record<string, string>;
    expect(Object.entries(told).filter(([, what]) => what !== 'no')).toEqual([]);
    expect(Object.keys(told).length).toBe(alone ? 13 : 16);
    expect([connections, existsSync(path.join(folder, 'written'))]).toEqual([0, false]);
  });
});
