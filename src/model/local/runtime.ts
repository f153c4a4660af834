/**
 * The library that runs models in this process. It is no dependency: with every build of it, it would be a download of 384 MB. One build is
 * installed into the cache folder when a model is pulled.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as NodeLlamaCpp from 'node-llama-cpp';
import { messageOf, StateError, UsageError } from '../../core/errors.ts';
import { cacheFolder } from './cache-folder.ts';
import { withFileLock } from './file-lock.ts';
import { npmCommand, runNpm } from './run-npm.ts';
import { tryLibrary } from './try-library.ts';

/** The version that this code was tried with. */
export const llamaVersion = '3.21.1';

/** Where the library is looked for. */
export interface LlamaRuntimeOptions {
  env?: NodeJS.ProcessEnv;
  /** How a module beside assay is imported; for tests. */
  load?(name: string): Promise<unknown>;
}

/** Where the library was found. */
export type RuntimePlace = { place: 'beside assay' } | { place: 'cache'; folder: string };

/** The library: beside assay, else in the cache folder. Throws `UsageError` that names the command when it is at neither. */
export async function loadLlamaRuntime(options: LlamaRuntimeOptions = {}): Promise<typeof NodeLlamaCpp> {
  const { env = process.env, load = (name: string) => import(name) } = options;
  const beside = await load('node-llama-cpp').catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
  // What has this name is this library.
  if (beside !== undefined) return beside as typeof NodeLlamaCpp;
  const folder = runtimeFolder(env);
  if (!isWhole(folder)) {
    throw new UsageError(
      'The library that runs local models (llama.cpp) is not installed. It comes with a model (45 MB): assay models pull',
    );
  }
  return import(pathToFileURL(entryOf(folder)).href).catch((error: unknown) => {
    throw new StateError(
      `The library that runs local models cannot be loaded from ${folder}: ${messageOf(error)}. Put it right with: assay models pull`,
      { cause: error },
    );
  });
}

/** Where `loadLlamaRuntime` would find the library, without loading it; undefined when nowhere. */
export function findLlamaRuntime(
  options: { env?: NodeJS.ProcessEnv; resolve?(name: string): string } = {},
): RuntimePlace | undefined {
  const { env = process.env, resolve = (name: string) => import.meta.resolve(name) } = options;
  try {
    resolve('node-llama-cpp');
    return { place: 'beside assay' };
  } catch {
    const folder = runtimeFolder(env);
    return isWhole(folder) ? { place: 'cache', folder } : undefined;
  }
}

export interface InstallOptions {
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  /** The program that is run as npm, with its first arguments. Default: `npmCommand`. */
  npm?: readonly [string, ...string[]];
  /** Hears what is being waited for. */
  onNote?: ((text: string) => void) | undefined;
}

/**
 * Installs the library with the build for this machine into the cache folder by npm, without install scripts, and gives the folder. What
 * is there and runs is left alone, what does not run is installed anew. Throws `StateError` with what npm or the library said, `UsageError`
 * where there is no build.
 */
export async function installLlamaRuntime({ env, signal, npm, onNote }: InstallOptions): Promise<string> {
  const folder = runtimeFolder(env);
  const build = buildFor(process.platform, process.arch, isMusl());
  const onWait = (): void => onNote?.('Another process is installing llama.cpp. Waiting for it ...');
  return withFileLock(folder, { env, onWait, signal }, async () => {
    if (isWhole(folder)) {
      const fault = await tryLibrary(entryOf(folder), { env, signal });
      if (fault === undefined) return folder;
      onNote?.(`What is installed does not run (${fault}). Installing it anew ...`);
    } else onNote?.('Installing llama.cpp for this machine (45 MB) ...');
    try {
      await replace(folder, [`node-llama-cpp@${llamaVersion}`, `@node-llama-cpp/${build}@${llamaVersion}`], {
        env,
        signal,
        npm: npm ?? npmCommand(env),
      });
    } catch (error) {
      if (signal?.aborted || error instanceof StateError) throw error;
      throw new StateError(`The library for local models cannot be installed: ${messageOf(error)}`, { cause: error });
    } finally {
      sweep(folder);
    }
    return folder;
  });
}

async function replace(
  folder: string,
  packages: readonly string[],
  {
    env,
    signal,
    npm,
  }: { env: NodeJS.ProcessEnv; signal: AbortSignal | undefined; npm: readonly [string, ...string[]] },
): Promise<void> {
  const fresh = `${folder}${freshInfix}${process.pid}`;
  sweep(folder);
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, 'package.json'), '{"private":true}\n');
  await runNpm(npm, [...installArguments, ...packages], { cwd: fresh, env, signal });
  if (!isWhole(fresh)) throw new StateError(`npm ended well, and left no ${entryOf('')}. ${byHand(packages)}`);
  const fault = await tryLibrary(entryOf(fresh), { env, signal });
  if (fault !== undefined) {
    throw new StateError(
      `llama.cpp was installed, and does not run on this machine: ${fault}. Use a model server here, for example Ollama.`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}

const freshInfix = '.fresh-';

/** Takes away what an installation left that did not come to its end, this one's too. Only who has the lock does. */
function sweep(folder: string): void {
  const prefix = basename(folder) + freshInfix;
  for (const name of readdirSync(join(folder, '..'))) {
    if (name.startsWith(prefix)) rmSync(join(folder, '..', name), { recursive: true, force: true, maxRetries: 3 });
  }
}

const installArguments = [
  'install',
  '--global=false',
  '--omit=optional',
  '--omit=peer',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

function byHand(packages: readonly string[]): string {
  return `Install it beside assay by hand: npm install --omit=optional --ignore-scripts ${packages.join(' ')}`;
}

/** The folder of the library in the cache. */
export function runtimeFolder(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), `node-llama-cpp-${llamaVersion}`);
}

function entryOf(folder: string): string {
  return join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
}

/** Whether the right version is there with its native part: an install that was cut off is none. */
function isWhole(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(
      readFileSync(join(folder, 'node_modules', 'node-llama-cpp', 'package.json'), 'utf8'),
    );
    const version: unknown = Reflect.get(Object(manifest), 'version');
    const build = buildFor(process.platform, process.arch, isMusl());
    const native = join(folder, 'node_modules', '@node-llama-cpp', build, 'package.json');
    return version === llamaVersion && existsSync(entryOf(folder)) && existsSync(native);
  } catch {
    return false;
  }
}

const builds: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/** The name of the build for a machine. Throws `UsageError` where there is none. */
export function buildFor(platform: string, arch: string, musl: boolean): string {
  const build = builds[`${platform}-${arch}`];
  if (build !== undefined && !musl) return build;
  const machine = `${platform}-${arch}${musl ? ' with musl' : ''}`;
  throw new UsageError(
    `There is no build of llama.cpp for ${machine}: there are some for Linux with glibc, macOS and Windows. ` +
      'Use a model server here, for example Ollama.',
  );
}

/** Alpine and its like. A report tells the version of glibc, where there is one; it would look up the names of open connections as well. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false;
  const { report } = process;
  const before: unknown = Reflect.get(report, 'excludeNetwork');
  Reflect.set(report, 'excludeNetwork', true);
  const header: unknown = Reflect.get(Object(report.getReport()), 'header');
  Reflect.set(report, 'excludeNetwork', before);
  return Reflect.get(Object(header), 'glibcVersionRuntime') === undefined;
}

function isMissing(error: unknown): boolean {
  return Reflect.get(Object(error), 'code') === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes('node-llama-cpp');
}
