import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { callTool, entry, misbehaving } from '../../../testing/mcp-server/connect.ts';
import type { Behaviour } from '../../../testing/mcp-server/misbehaving-server.ts';
import type { Tool } from '../../tool.ts';
import { type McpOptions, mcp, memoryPins } from '../mcp.ts';

const opened: Tool[][] = [];
let warnings: string[] = [];

afterEach(async () => {
  warnings = [];
  await Promise.all(opened.splice(0).map((tools) => tools[0]?.close?.()));
});

type Rest = Partial<Pick<McpOptions, 'timeoutMs' | 'connectTimeoutMs'>>;

async function connect(tools: string[], behaviour: Partial<Behaviour> = {}, rest: Rest = {}): Promise<Tool[]> {
  const anyArguments = { inputSchema: { type: 'object' } };
  const server = misbehaving({ tools: tools.map((name) => entry(name, anyArguments)), ...behaviour });
  const onWarning = (warning: string): unknown => warnings.push(warning);
  const made = await mcp({
    name: 's',
    pins: memoryPins(),
    ...server,
    onWarning,
    onEnrolment: () => undefined,
    ...rest,
  });
  opened.push(made);
  return made;
}

/** A process that nobody waited for counts until the system has taken it away, which may last a moment. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a server that writes what is no message', () => {
  it('is understood all the same, and each kind of noise is told of once', async () => {
    const tools = await connect(['noise', 'pid'], { start: 'noise' });
    for (let n = 0; n < 3; n++) expect(await callTool(tools, 's_noise')).toBe('quiet again');
    expect(warnings).toEqual([
      expect.stringContaining('a line on its standard output that is no message: Server ready on stdio'),
      expect.stringContaining('an answer to nothing that was asked'),
    ]);
  });

  it('cannot make a second answer count', async () => {
    const tools = await connect(['twice', 'pid']);
    expect(await callTool(tools, 's_twice')).toBe('the first answer');
    expect(await callTool(tools, 's_pid')).toMatch(/^\d+$/);
  });

  it('may answer with bare NaN, in text or as a value', async () => {
    const tools = await connect(['raw']);
    const text = '{"content":[{"type":"text","text":"{\\"mean\\":NaN,\\"low\\":-Infinity}"}]}';
    expect(await callTool(tools, 's_raw', { raw: text })).toBe('{"mean":NaN,"low":-Infinity}');
    const value = '{"structuredContent":{"mean":NaN,"low":-Infinity,"note":"NaN \\" NaN"}}';
    expect(await callTool(tools, 's_raw', { raw: value })).toEqual({
      mean: 'NaN',
      low: '-Infinity',
      note: 'NaN " NaN',
    });
  });
});

it('passes on what the server says of its own errors, whatever codes it gives them', async () => {
  const tools = await connect(['fail']);
  for (const code of [-32_000, -32_001, -32_602]) {
    await expect(callTool(tools, 's_fail', { code })).rejects.toThrow(`MCP error ${code}: the quota is used up`);
  }
});

describe('sizes', () => {
  it('takes a result of four million characters', async () => {
    const tools = await connect(['big']);
    expect(await callTool(tools, 's_big', { length: 4_000_000 })).toHaveLength(4_000_000);
  });

  it('answers a call whose result is too large with an error at once, and goes on', async () => {
    const tools = await connect(['big', 'pid']);
    await expect(callTool(tools, 's_big', { length: 17 * 1024 * 1024 })).rejects.toThrow('the limit is 16777216');
    await expect(callTool(tools, 's_big', { length: 30_000_000 })).rejects.toThrow(
      'more than 20971520 bytes: ask for less',
    );
    expect(await callTool(tools, 's_pid')).toMatch(/^\d+$/);
    expect(warnings).toEqual([expect.stringContaining('a line of more than 20971520 bytes')]);
  });

  it('is not slowed down by a flood of notifications and requests', async () => {
    const tools = await connect(['flood', 'pid']);
    expect(await callTool(tools, 's_flood')).toBe('flooded');
    expect(await callTool(tools, 's_pid')).toMatch(/^\d+$/);
    expect(warnings).toEqual([expect.stringContaining('more requests than are looked at')]);
  });
});

describe('a server that ends', () => {
  it('rejects the pending calls at once with its last words, and is started again by the next call', async () => {
    const tools = await connect(['die', 'hang', 'pid']);
    const before = await callTool(tools, 's_pid');
    const started = performance.now();
    const names = ['s_hang', 's_hang', 's_hang', 's_hang', 's_die'];
    const calls = await Promise.allSettled(names.map((name) => callTool(tools, name)));
    expect(performance.now() - started).toBeLessThan(5_000);
    for (const call of calls) {
      expect(String(call.status === 'rejected' && call.reason)).toMatch(
        /"s": server exited \(exit code 3; its error output ends: fatal: the disk is full\)/,
      );
    }
    const after = await Promise.all([callTool(tools, 's_pid'), callTool(tools, 's_pid')]);
    expect(after[0]).toBe(after[1]);
    expect(after[0]).not.toBe(before);
  });

  it('is left alone when it ends again and again', async () => {
    const tools = await connect(['die', 'pid']);
    for (let n = 0; n < 3; n++) await expect(callTool(tools, 's_die')).rejects.toThrow('server exited');
    await expect(callTool(tools, 's_pid')).rejects.toThrow('failed 3 times in a row');
  });

  it('does not disturb another server', async () => {
    const [one, other] = await Promise.all([connect(['die']), connect(['pid', 'echo'])]);
    const pid = await callTool(other, 's_pid');
    await expect(callTool(one, 's_die')).rejects.toThrow('server exited');
    expect(await callTool(other, 's_pid')).toBe(pid);
  });

  it('explains why there is no connection', async () => {
    await expect(connect([], { start: 'exit' })).rejects.toThrow(
      /"s": server exited \(exit code 7; .*no licence found/,
    );
    await expect(mcp({ name: 's', command: '/no/such/program' })).rejects.toThrow(/could not be started: .*ENOENT/);
    await expect(connect([], { start: 'silent' }, { connectTimeoutMs: 600 })).rejects.toThrow(
      'did not answer connect within 600 ms',
    );
  });
});

describe('a call that is given up', () => {
  it('tells the server, by an abort with its reason and by a timeout', async () => {
    const tools = await connect(['hang', 'cancelled'], {}, { timeoutMs: 300 });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('the run was stopped')), 50);
    await expect(callTool(tools, 's_hang', {}, controller.signal)).rejects.toThrow('the run was stopped');
    await expect(callTool(tools, 's_hang')).rejects.toThrow(
      '"s" did not answer tools/call within 300 ms; it was told to stop',
    );
    expect(JSON.parse(String(await callTool(tools, 's_cancelled')))).toHaveLength(2);
  });

  it('is not told of again when the signal aborts after the answer', async () => {
    const tools = await connect(['pid', 'cancelled']);
    const controller = new AbortController();
    await callTool(tools, 's_pid', {}, controller.signal);
    controller.abort();
    expect(await callTool(tools, 's_cancelled')).toBe('[]');
  });

  it('does not begin when the signal is aborted already', async () => {
    const tools = await connect(['pid']);
    await expect(callTool(tools, 's_pid', {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});

it('refuses what a server asks of the model and of the user', async () => {
  const tools = await connect(['asks']);
  const answers = JSON.parse(String(await callTool(tools, 's_asks')));
  expect(answers).toHaveLength(3);
  for (const answer of answers) expect(answer.error.code).toBe(-32601);
});

describe('the process', () => {
  it('ends when any of its tools is closed, however often, and calls say so', async () => {
    const tools = await connect(['pid', 'hang']);
    const pid = Number(await callTool(tools, 's_pid'));
    const pending = expect(callTool(tools, 's_hang')).rejects.toThrow('server exited');
    await callTool(tools, 's_pid');
    await Promise.all(tools.map((tool) => tool.close?.()));
    await tools[0]?.close?.();
    await pending;
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    await expect(callTool(tools, 's_pid')).rejects.toThrow('was closed');
  });

  const program = (then: string): string => `
    const { mcp, memoryPins } = await import(${JSON.stringify(new URL('../mcp.ts', import.meta.url).href)});
    const server = ${JSON.stringify(misbehaving({ tools: [entry('pid')] }))};
    const [tool] = await mcp({ name: 's', ...server, pins: memoryPins(), onEnrolment() {} });
    console.log(await tool.run({}, { idempotencyKey: 'k', attempt: 1, signal: new AbortController().signal }));
    ${then}`;

  it('ends with a program that does not close it, which it does not keep alive', async () => {
    const args = ['--no-warnings', '--input-type=module', '-e', program('')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 10_000 });
    await expect.poll(() => isAlive(Number(stdout)), { timeout: 10_000 }).toBe(false);
  });

  it('ends when the program is killed', async () => {
    const child = spawn(process.execPath, [
      '--no-warnings',
      '--input-type=module',
      '-e',
      program('setInterval(() => 0, 1000);'),
    ]);
    const [line] = await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await expect.poll(() => isAlive(Number(line)), { timeout: 10_000 }).toBe(false);
  });
});
