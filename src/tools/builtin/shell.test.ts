import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { probeConfined } from './sandbox/probe.ts';
import type { ConfinedOutcome } from './sandbox/run-confined.ts';
import { type ShellOptions, shell } from './shell.ts';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'assay-shell-')));
const root = path.join(folder, 'project');
const context = { idempotencyKey: 'key', attempt: 1, signal: new AbortController().signal };

const probe = await probeConfined({
  ...{ program: '/bin/sh', args: ['-c', ':'], readable: ['/usr'] },
  limits: { memoryMb: 256, memoryIs: 'data', processes: 32, fileMb: 1, cpuSeconds: 5 },
});
if (!probe.works) console.warn(`skipped: commands in bubblewrap, because ${probe.detail}`);

async function run(command: string | string[], options: Partial<ShellOptions> = {}): Promise<ConfinedOutcome> {
  const made = shell({ root, ...options });
  // The tool returns its outcome as JSON.
  return (await made.run(made.input.parse({ command }), context)) as ConfinedOutcome;
}

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
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(path.join(root, '.git', 'hooks'), { recursive: true });
  writeFileSync(path.join(root, 'notes.txt'), 'one\ntwo\n');
  writeFileSync(path.join(folder, 'secret'), 'hunter2');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!probe.works)('shell in bubblewrap', () => {
  it('runs a line in the folder, where its effects stay', async () => {
    const outcome = await run('wc -l < notes.txt; sort -r notes.txt | tee sorted.txt; echo oops >&2; exit 3');
    expect(outcome).toMatchObject({ ended: 'completed', exitCode: 3, stdout: '2\ntwo\none\n', stderr: 'oops\n' });
    expect(readFileSync(path.join(root, 'sorted.txt'), 'utf8')).toBe('two\none\n');
    expect(statSync(path.join(root, 'sorted.txt')).uid).toBe(statSync(root).uid);
  });

  it('runs a program with its arguments as they are', async () => {
    expect((await run(['printf', '%s|', 'a b', '$HOME', '`id`', '; exit 9'])).stdout).toBe('a b|$HOME|`id`|; exit 9|');
  });

  it('changes nothing where the folder is read-only', async () => {
    const outcome = await run('cat notes.txt; echo x > new; rm notes.txt', { access: 'read-only' });
    expect(outcome.stdout).toBe('one\ntwo\n');
    expect(readdirSync(root).sort()).toEqual(['.git', 'notes.txt']);
  });

  it('sees no other file of the user, also not by a link in the folder', async () => {
    symlinkSync(path.join(folder, 'secret'), path.join(root, 'link'));
    const outcome = await run(
      `cat link ../secret '${folder}/secret' /etc/passwd /etc/shadow; ls -A /home /root /var; ls '${folder}'`,
    );
    expect(outcome.stdout).toBe('project\n');
  });

  it('keeps read-only what other programs run', async () => {
    const line = 'echo evil > .git/hooks/pre-commit; mv .git gone; rm -rf .git; ln -s /tmp .assay; ls -A';
    expect((await run(line)).stdout).toBe('.assay\n.git\nnotes.txt\n');
    expect(readdirSync(path.join(root, '.git', 'hooks'))).toEqual([]);
    await expect(run('ls')).rejects.toThrow(/\.assay is a link/);
    expect(await run('echo ok > .git/new', { protect: [] })).toMatchObject({ exitCode: 0 });
  });

  it('gives commands only the variables that were chosen', async () => {
    process.env['ASSAY_TEST_SECRET'] = 'hunter2';
    process.env['ASSAY_TEST_CHOSEN'] = 'yes';
    const { stdout } = await run('env; cat /proc/1/environ', { env: ['ASSAY_TEST_CHOSEN', 'ASSAY_TEST_ABSENT'] });
    delete process.env['ASSAY_TEST_SECRET'];
    delete process.env['ASSAY_TEST_CHOSEN'];
    const names = stdout.split(/[\n\0]/).map((line) => line.split('=')[0]);
    expect(new Set(names)).toEqual(new Set(['ASSAY_TEST_CHOSEN', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR', '']));
  });

  it('has no network unless it is given', async () => {
    const bash = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo connected || echo refused`;
    expect((await run(['bash', '-c', bash])).stdout).toBe('refused\n');
    expect(connections).toBe(0);
    expect((await run(['bash', '-c', bash], { network: true })).stdout).toBe('connected\n');
    expect(connections).toBe(1);
  });

  it('ends everything at the time limit, and keeps what was printed', { retry: 2 }, async () => {
    const line = 'echo started; (while :; do echo x >> alive; sleep 0.05; done) & setsid sh -c "sleep 60" & sleep 60';
    const outcome = await run(line, { timeoutMs: 500 });
    expect(outcome).toMatchObject({ ended: 'timeout', stdout: 'started\n' });
    expect(outcome).not.toHaveProperty('exitCode');
    expect(outcome.ms).toBeLessThan(700);
    const size = statSync(path.join(root, 'alive')).size;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(statSync(path.join(root, 'alive')).size).toBe(size);
  });

  it('leaves nothing running when the command ends', async () => {
    await run('(while :; do echo x >> alive; sleep 0.05; done) & sleep 0.2');
    const size = statSync(path.join(root, 'alive')).size;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(statSync(path.join(root, 'alive')).size).toBe(size);
  });

  it('ends a command that prints without end', async () => {
    expect(await run('yes', { maxOutputBytes: 1_000 })).toMatchObject({
      ended: 'too much output',
      stdout: 'y\n'.repeat(500),
    });
  });

  it('sees only its own processes and cannot become more than it is', async () => {
    const { stdout } = await run(
      'ls /proc | grep -c "^[0-9]"; kill -9 1; unshare -Ur id; grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status',
    );
    const [count, ...status] = stdout.trim().split('\n');
    expect(Number(count)).toBeLessThan(6);
    expect(status.map((line) => line.split(/\s+/)[1])).toEqual(['0000000000000000', '0000000000000000', '1', '2']);
  });
});

describe.skipIf(process.platform !== 'linux')('shell', () => {
  it('is irreversible, is not repeated, and touches its folder', () => {
    const made = shell({ root });
    expect([made.effect, made.idempotent, made.markup]).toEqual(['irreversible', false, 'source']);
    expect(made.touches?.({ command: 'ls' })).toEqual({ paths: [root] });
  });

  it('takes a folder behind a link for what it is', () => {
    const link = path.join(folder, 'link');
    if (!existsSync(link)) symlinkSync(root, link);
    expect(shell({ root: link }).touches?.({ command: 'ls' })).toEqual({ paths: [root] });
  });

  it.each([
    '/',
    '/etc',
    '/usr',
    homedir(),
    path.dirname(homedir()),
    path.join(folder, 'none'),
    path.join(folder, 'secret'),
  ])('refuses %s as its folder', (bad) => expect(() => shell({ root: bad })).toThrow(UsageError));
});
