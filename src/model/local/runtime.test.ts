import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  buildFor,
  findLlamaRuntime,
  installLlamaRuntime,
  llamaVersion,
  loadLlamaRuntime,
  runtimeFolder,
} from './runtime.ts';

let cache: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'assay-runtime-'));
  env = { ASSAY_CACHE: cache, PATH: process.env['PATH'] };
});
afterEach(() => rmSync(cache, { recursive: true }));

/** A program in the place of npm. */
function npm(body: string): [string, string] {
  const file = join(cache, 'npm.mjs');
  writeFileSync(file, `import { mkdirSync, writeFileSync } from 'node:fs';\n${body}`);
  chmodSync(file, 0o755);
  return [process.execPath, file];
}

/** Leaves what npm leaves, with a library that says where it is from. */
const leavesLibrary = (version = llamaVersion): string => `
  const native = process.argv.at(-1).replace(/^(@node-llama-cpp\\/[^@]+)@.*$/, '$1');
  mkdirSync('node_modules/node-llama-cpp/dist', { recursive: true });
  mkdirSync('node_modules/' + native, { recursive: true });
  writeFileSync('node_modules/' + native + '/package.json', '{}');
  writeFileSync('node_modules/node-llama-cpp/package.json', '{"type":"module","version":"${version}"}');
  writeFileSync('node_modules/node-llama-cpp/dist/index.js', 'export const from = "cache"; export const getLlama = () => undefined;');
  writeFileSync('arguments.json', JSON.stringify(process.argv.slice(2)));`;

const missing = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("Cannot find package 'node-llama-cpp'"), { code: 'ERR_MODULE_NOT_FOUND' }));

describe('the library for local models', () => {
  it('is taken from beside assay first', async () => {
    const library = { getLlama: () => undefined };
    expect(await loadLlamaRuntime({ env, load: async () => library })).toBe(library);
  });

  it('is missing with the command that brings it', async () => {
    await expect(loadLlamaRuntime({ env, load: missing })).rejects.toThrow('assay models pull');
  });

  it('does not hide that it is broken', async () => {
    const load = () => Promise.reject(new Error('invalid ELF header'));
    await expect(loadLlamaRuntime({ env, load })).rejects.toThrow('invalid ELF header');
  });

  it('is installed with one build, without scripts, and found afterwards', async () => {
    const folder = await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    expect(folder).toBe(runtimeFolder(env));
    expect(await loadLlamaRuntime({ env, load: missing })).toMatchObject({ from: 'cache' });
    const { default: given } = await import(join(folder, 'arguments.json'), { with: { type: 'json' } });
    expect(given).toEqual(
      expect.arrayContaining(['--omit=optional', '--ignore-scripts', `node-llama-cpp@${llamaVersion}`]),
    );
    const nowhere = (): never => {
      throw new Error('not beside assay');
    };
    expect(findLlamaRuntime({ env, resolve: nowhere })).toEqual({ place: 'cache', folder });
  });

  it('is not installed twice', async () => {
    await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    await installLlamaRuntime({ env, npm: npm('process.exit(1)') });
  });

  it.each([
    ['npm fails', "console.error('E404 no such package'); process.exit(1)", /npm ended with 1.*E404 no such package/s],
    ['npm leaves nothing', '', /ended well, and left no/],
    ['npm leaves another version', leavesLibrary('1.0.0'), /ended well, and left no/],
    [
      'the library does not run here',
      `${leavesLibrary()}; writeFileSync('node_modules/node-llama-cpp/dist/index.js', 'throw new Error("glibc is too old")')`,
      /does not run on this machine: Error: glibc is too old/,
    ],
    ['npm is killed', "process.kill(process.pid, 'SIGKILL')", /npm ended with SIGKILL/],
  ])('leaves nothing behind when %s', async (_, body, message) => {
    await expect(installLlamaRuntime({ env, npm: npm(body) })).rejects.toThrow(message);
    expect(readdirSync(cache).sort()).toEqual(['locks', 'npm.mjs']);
  });

  it('is put right where an earlier install was cut off', async () => {
    const folder = await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    rmSync(join(folder, 'node_modules', '@node-llama-cpp'), { recursive: true });
    await expect(loadLlamaRuntime({ env, load: missing })).rejects.toThrow('assay models pull');
    await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    expect(existsSync(join(folder, 'node_modules', '@node-llama-cpp'))).toBe(true);
  });

  it('is put right where a file of it was damaged', async () => {
    const folder = await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    writeFileSync(join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js'), 'garbage (');
    await expect(loadLlamaRuntime({ env, load: missing })).rejects.toThrow(
      /cannot be loaded from .*assay models pull/s,
    );
    const notes: string[] = [];
    await installLlamaRuntime({ env, npm: npm(leavesLibrary()), onNote: (text) => void notes.push(text) });
    expect(notes.join()).toContain('does not run (SyntaxError');
    await installLlamaRuntime({ env, npm: npm('process.exit(1)') });
  });

  it('is installed once when two want it at the same time', async () => {
    const notes: string[] = [];
    const once = npm(`import { existsSync } from 'node:fs';
      if (existsSync('../second')) process.exit(1);
      writeFileSync('../second', '');${leavesLibrary()}`);
    const install = () => installLlamaRuntime({ env, npm: once, onNote: (text) => void notes.push(text) });
    expect(await Promise.all([install(), install()])).toEqual([runtimeFolder(env), runtimeFolder(env)]);
    expect(notes.sort()).toEqual([expect.stringContaining('Another process'), expect.stringContaining('45 MB')]);
  });

  it('is installed after a process that was killed in the middle of it', async () => {
    const stuck = npm("setInterval(() => {}, 1_000); writeFileSync('../started', String(process.pid))");
    const program = `const { installLlamaRuntime } = await import('${new URL('./runtime.ts', import.meta.url).href}');
      await installLlamaRuntime({ env: process.env, npm: ${JSON.stringify(stuck)} });`;
    const killed = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], { env });
    const started = join(cache, 'started');
    while (!existsSync(started) || readFileSync(started, 'utf8') === '') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    killed.kill('SIGKILL');
    process.kill(Number(readFileSync(started, 'utf8')), 'SIGKILL');
    await once(killed, 'close');
    expect(readdirSync(cache).some((name) => name.includes('fresh'))).toBe(true);
    await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    expect(readdirSync(cache).some((name) => name.includes('fresh'))).toBe(false);
  });

  it('holds nothing of an installation that was cut off in a process of the same number', async () => {
    const left = `${runtimeFolder(env)}.fresh-${process.pid}`;
    mkdirSync(left);
    writeFileSync(join(left, 'left'), '');
    const folder = await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    expect(existsSync(join(folder, 'left'))).toBe(false);
  });

  it('can be interrupted', async () => {
    const stop = new AbortController();
    const installing = installLlamaRuntime({ env, npm: npm('setInterval(() => {}, 1_000)'), signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(installing).rejects.toThrow('aborted');
    expect(readdirSync(cache).sort()).toEqual(['locks', 'npm.mjs']);
  });

  it('says so where npm is missing', async () => {
    await expect(installLlamaRuntime({ env, npm: [join(cache, 'no-npm')] })).rejects.toThrow(
      'npm is not on this machine',
    );
  });

  it('has builds for the usual machines, and says what to do on others', () => {
    expect(buildFor('linux', 'x64', false)).toBe('linux-x64');
    expect(buildFor('darwin', 'arm64', false)).toBe('mac-arm64-metal');
    expect(() => buildFor('linux', 'x64', true)).toThrow(/with musl.*Ollama/s);
    expect(() => buildFor('freebsd', 'x64', false)).toThrow('freebsd-x64');
  });
});
