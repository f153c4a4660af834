import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeConfined } from '../sandbox/probe.ts';
import { nativeSandbox } from './native-sandbox.ts';
import { type CodeOutcome, runInSandbox } from './run-in-sandbox.ts';

const limits = { memoryMb: 256, timeoutMs: 10_000, maxOutputBytes: 64 * 1024 };
const offer = await nativeSandbox('python');
if ('missing' in offer) console.warn(`skipped: python3 in bubblewrap, because ${offer.missing}`);

async function python(code: string, own: Partial<typeof limits> = {}): Promise<CodeOutcome> {
  if ('missing' in offer) throw new Error(offer.missing);
  const job = { language: 'python', code, stdin: '' } as const;
  return runInSandbox(offer.sandbox, job, { ...limits, ...own }, new AbortController().signal);
}

const folder = mkdtempSync(path.join(tmpdir(), 'assay-native-'));
const secret = path.join(folder, 'secret');
const mark = path.basename(folder);
const abstractName = `\0${mark}`;
let server: Server;
let connections = 0;
beforeAll(async () => {
  writeFileSync(secret, 'hunter2', { mode: 0o644 });
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(abstractName, resolve));
});
afterAll(() => {
  for (const pid of leftOver()) process.kill(Number(pid), 'SIGKILL');
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Processes of this machine that carry the mark of this test. */
function leftOver(): string[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return processes.filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.includes(`left-${mark}`);
    } catch {
      return false;
    }
  });
}

const attempts = `
import ctypes, mmap, os, resource, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    if libc.syscall(*numbers) == -1: raise OSError(ctypes.get_errno(), 'refused')
def tell(what, attempt):
    try: print(what, attempt())
    except (OSError, MemoryError, ValueError) as error: print(what, 'no')
`;

/** Each line of output that is not a refusal. */
async function granted(code: string): Promise<string[]> {
  const { stdout, stderr, ended } = await python(attempts + code);
  expect([stderr, ended]).toEqual(['', 'completed']);
  const lines = stdout.trim().split('\n');
  expect(lines.length).toBe(code.split('\n').filter((line) => line.includes('tell(')).length);
  return lines.filter((line) => !line.endsWith(' no'));
}

describe.skipIf('missing' in offer)('python3 in bubblewrap', () => {
  it('sees no file of the machine beside libraries and itself', async () => {
    const outcome = await python(`
import os
seen = [sorted(os.listdir(folder)) for folder in ('/', '/etc', '/usr/bin')]
print(set(seen[0]) - {'dev', 'etc', 'lib', 'lib32', 'lib64', 'tmp', 'usr'}, set(seen[1]) - {'ld.so.cache'}, seen[2])
print(os.listdir('/tmp'), sorted(os.environ))`);
    expect(outcome.stdout).toMatch(/^set\(\) set\(\) \['prlimit', ('python3[\d.]*'(, )?)+\]\n/);
    expect(outcome.stdout).toContain("[] ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']");
  });

  it('reads no secret, also not by a link, and learns nothing of other processes', async () => {
    const code = `
tell('secret', lambda: open('${secret}').read())
tell('shadow', lambda: open('/etc/shadow').read())
tell('passwd', lambda: open('/etc/passwd').read())
tell('homes', lambda: [os.listdir('/root'), os.listdir('/home')])
tell('init', lambda: open('/proc/1/environ').read())
tell('self', lambda: open('/proc/self/maps').read())
tell('link', lambda: os.symlink('${secret}', '/tmp/link') or open('/tmp/link').read())
tell('parent', lambda: os.kill(${process.pid}, 0))`;
    expect(await granted(code)).toEqual([]);
  });

  it('writes nowhere but in a temporary folder of its own, which the next call does not see', async () => {
    const code = `
tell('root', lambda: open('/new', 'w'))
tell('usr', lambda: open('/usr/lib/new', 'w'))
tell('etc', lambda: open('/etc/new', 'w'))
tell('dev', lambda: open('/dev/new', 'w'))
tell('here', lambda: open('${folder}/new', 'w'))
tell('tmp', lambda: open('/tmp/${mark}.txt', 'w').write('x'))`;
    expect(await granted(code)).toEqual(['tmp 1']);
    expect((await python(`import os; os.path.exists('/tmp/${mark}.txt')`)).result).toBe('False');
    expect([existsSync(`/tmp/${mark}.txt`), readdirSync(folder)]).toEqual([false, ['secret']]);
  });

  it.skipIf(process.arch !== 'x64')('makes no call of the kernel that a program does not need', async () => {
    const code = `
tell('unshare', lambda: call(272, 0x10000000))
tell('setns', lambda: call(308, 0, 0))
tell('clone', lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0))
tell('clone3', lambda: call(435, 0, 0))
tell('mount', lambda: call(165, 0, 0, 0, 0, 0))
tell('ptrace', lambda: call(101, 16, os.getppid(), 0, 0))
tell('io_uring', lambda: call(425, 1, ctypes.create_string_buffer(120)))
tell('bpf', lambda: call(321, 0, 0, 0))
tell('keyctl', lambda: call(250, 0, -3, 1))
tell('x32', lambda: call(0x40000000 + 39))
tell('vsock', lambda: socket.socket(40, socket.SOCK_STREAM))
tell('packet', lambda: socket.socket(17, socket.SOCK_RAW))
print('tell(', libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0))`;
    expect(await granted(code)).toEqual(['tell( 1 2']);
  });

  it('connects to nothing, also not to a socket without a file', async () => {
    const code = `
tell('abstract', lambda: socket.socket(socket.AF_UNIX).connect('\\0${mark}'))
tell('address', lambda: socket.create_connection(('192.0.2.1', 80), 1))
tell('name', lambda: socket.getaddrinfo('localhost.example', 80))
tell('interfaces', lambda: [name for _, name in socket.if_nameindex() if name != 'lo'] or 'no')`;
    expect(await granted(code)).toEqual([]);
    expect(connections).toBe(0);
  });

  it('has its limits of memory, files and temporary space', async () => {
    const code = `
tell('memory', lambda: len(bytearray(500 << 20)))
tell('shared', lambda: len(mmap.mmap(-1, 500 << 20)))
tell('file', lambda: open('/tmp/large', 'wb').write(bytes(80 << 20)))
tell('files', lambda: [open(f'/tmp/{n}', 'wb').write(bytes(30 << 20)) for n in range(3)])
tell('shm', lambda: open('/dev/shm/large', 'wb').write(bytes(20 << 20)))
tell('more', lambda: resource.setrlimit(resource.RLIMIT_AS, (-1, -1)))`;
    expect(await granted(code)).toEqual([]);
  });

  it('ends a fork bomb with all it made, without standing in the way of this process', { retry: 2 }, async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last - 10);
      last = performance.now();
    }, 10);
    const bomb = `
import os, sys
count = 0
while True:
    try:
        if os.fork() == 0: os.execv(sys.executable, ['python3', '-c', 'while True: pass', 'left-${mark}'])
        count += 1
    except OSError:
        print(count, flush=True)
        while True: pass`;
    const outcome = await python(bomb, { timeoutMs: 1_000 });
    clearInterval(timer);
    expect(outcome.ended).toBe('timeout');
    // Thirty processes that want the processor until their last moment take a while to die.
    expect(outcome.ms).toBeLessThan(2_000);
    expect(longest).toBeLessThan(200);
    expect(Number.parseInt(outcome.stdout, 10)).toBeLessThan(32);
    expect(leftOver()).toEqual([]);
    expect((await python('1 + 1')).result).toBe('2');
  });

  it('leaves no process behind when the code ends', async () => {
    const code = `
import os, sys, time
if os.fork() == 0:
    os.setsid()
    os.execv(sys.executable, ['python3', '-c', 'import time; time.sleep(60)', 'left-${mark}'])
time.sleep(0.2)
'done'`;
    const outcome = await python(code);
    expect(outcome).toMatchObject({ ended: 'completed', result: "'done'" });
    expect(outcome.ms).toBeLessThan(2_000);
    await expect.poll(leftOver, { timeout: 2_000 }).toEqual([]);
  });

  it('cannot end this process', async () => {
    const code = 'import os, signal\nfor pid in (os.getppid(), 1, -1, 0): os.kill(pid, signal.SIGKILL)';
    expect((await python(code)).ended).not.toBe('completed');
    expect((await python('"alive"')).result).toBe("'alive'");
  });

  it.each([
    ['sleep', 'import time; time.sleep(60)'],
    [
      'ignored signals',
      'import signal\nfor n in range(1, 32):\n  try: signal.signal(n, signal.SIG_IGN)\n  except OSError: pass\nwhile True: pass',
    ],
    ['a builtin that asks no one', 'len(list(range(10**9))) + 3 ** 10 ** 9'],
  ])('ends within its time: %s', { retry: 2 }, async (_what, code) => {
    const outcome = await python(code, { timeoutMs: 400 });
    expect(['timeout', 'error']).toContain(outcome.ended);
    expect(outcome.ms).toBeLessThan(600);
  });
});

describe.skipIf('missing' in offer)('the probe', () => {
  it('says what a program that does not start said', async () => {
    const confined = {
      program: '/usr/bin/python3',
      args: ['-c', 'import sys; sys.exit("broken")'],
      readable: ['/usr/share'],
    };
    const confinedLimits = { memoryMb: 256, memoryIs: 'data', processes: 8, fileMb: 1, cpuSeconds: 5 } as const;
    expect(await probeConfined({ ...confined, limits: confinedLimits })).toEqual({
      works: false,
      detail: expect.stringMatching(/does not start .*\(broken\); allow/),
    });
  });
});
