import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  writeFileSync('node_modules/node-llama-cpp/dist/index.js', 'export const from = "cache";');
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
    ['npm is killed', "process.kill(process.pid, 'SIGKILL')", /npm ended with SIGKILL/],
  ])('leaves nothing behind when %s', async (_, body, message) => {
    await expect(installLlamaRuntime({ env, npm: npm(body) })).rejects.toThrow(message);
    expect(readdirSync(cache)).toEqual(['npm.mjs']);
  });

  it('is put right where an earlier install was cut off', async () => {
    const folder = await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    rmSync(join(folder, 'node_modules', '@node-llama-cpp'), { recursive: true });
    await expect(loadLlamaRuntime({ env, load: missing })).rejects.toThrow('assay models pull');
    await installLlamaRuntime({ env, npm: npm(leavesLibrary()) });
    expect(existsSync(join(folder, 'node_modules', '@node-llama-cpp'))).toBe(true);
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
