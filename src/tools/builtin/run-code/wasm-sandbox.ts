/**
 * Code in an engine compiled to WebAssembly, in a Node process that has nothing: no environment, no files but its own, no
 * programs, no workers, no add-ons, no code from strings. Where bubblewrap works, the process is in it too, without network.
 * Elsewhere nothing but the engine and the emptied realms keeps code from the network: Node 22 and 24 cannot forbid it.
 */
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { workerFile } from '../../process/call-worker.ts';
import type { ProcessRun } from '../../process/run-process.ts';
import { type Confined, confinedRun } from '../sandbox/bubblewrap.ts';
import { probeConfined } from '../sandbox/probe.ts';
import { pyodideMain } from './python-program.ts';
import { type CodeJob, type CodeLimits, type Language, maxResultChars, type Offer } from './sandbox.ts';

/** What the engine, the compiler of WebAssembly and the heap of Node need beside the memory of the code. */
const ownMemoryMb = 640;
const heapMb = 128;

/** QuickJS or Pyodide, whichever the language needs. `alone`: without bubblewrap also where it works. */
export async function wasmSandbox(language: Language, alone = false): Promise<Offer> {
  const engine = language === 'python' ? pyodideEngine() : quickJsEngine();
  if (typeof engine === 'string') return { missing: engine };
  const inBubblewrap =
    !alone &&
    (await probeConfined({ ...confined(engine, ['--eval', '0']), limits: confinedLimits(probeLimits) })).works;
  return {
    sandbox: {
      label: `${engine.name} (WebAssembly) in a locked Node process${inBubblewrap ? ' in bubblewrap' : ''}`,
      start: (job, limits) => ({
        ...nodeProcess(engine, limits, inBubblewrap),
        request: JSON.stringify(engine.request(job, limits)),
      }),
    },
  };
}

const probeLimits = { memoryMb: 256, timeoutMs: 10_000 };

interface Engine {
  name: string;
  worker: string;
  /** Folders of the packages. */
  folders: string[];
  nodeOptions: string[];
  request(job: CodeJob, limits: CodeLimits): unknown;
}

function quickJsEngine(): Engine | string {
  const core = fileOf(() => import.meta.resolve('quickjs-emscripten-core'));
  const variant = fileOf(() => import.meta.resolve('@jitl/quickjs-wasmfile-release-sync'));
  const types = core && fileOf(() => pathToFileURL(createRequire(core).resolve('@jitl/quickjs-ffi-types')).href);
  if (!core || !variant || !types) {
    return 'QuickJS is not installed: npm install quickjs-emscripten-core @jitl/quickjs-wasmfile-release-sync';
  }
  return {
    name: 'QuickJS',
    worker: workerFile('quickjs'),
    folders: [core, variant, types].map(packageFolder),
    nodeOptions: [],
    request: ({ code, stdin, language }, { memoryMb }) => ({
      ...{ code, stdin, typescript: language === 'typescript', memoryBytes: memoryMb * 1024 * 1024, maxResultChars },
      ...{ core: pathToFileURL(core).href, variant: pathToFileURL(variant).href },
    }),
  };
}

function pyodideEngine(): Engine | string {
  const file = fileOf(() => import.meta.resolve('pyodide'));
  if (!file) return 'Pyodide is not installed: npm install pyodide';
  const folder = packageFolder(file);
  return {
    name: 'Pyodide',
    worker: workerFile('pyodide'),
    folders: [folder],
    nodeOptions: ['--experimental-vm-modules'],
    request: ({ code, stdin }, { memoryMb }) => ({
      ...{ code, stdin, maxResultChars, memoryBytes: memoryMb * 1024 * 1024, folder, program: pyodideMain },
    }),
  };
}

/** Undefined for a package that is not installed. */
function fileOf(resolve: () => string): string | undefined {
  try {
    return realpathSync(fileURLToPath(resolve()));
  } catch {
    return undefined;
  }
}

/** The nearest folder with a package.json. */
function packageFolder(file: string): string {
  let folder = path.dirname(file);
  while (!existsSync(path.join(folder, 'package.json')) && folder !== path.dirname(folder))
    folder = path.dirname(folder);
  return folder;
}

function nodeProcess(
  engine: Engine,
  limits: CodeLimits,
  inBubblewrap: boolean,
): Omit<ProcessRun, 'timeoutMs' | 'maxOutputBytes'> {
  const args = lockedNodeArguments(engine);
  if (!inBubblewrap) return { program: process.execPath, args, env: {} };
  return confinedRun({ ...confined(engine, args), limits: confinedLimits(limits) });
}

function lockedNodeArguments(engine: Engine): string[] {
  return [
    ...[`--max-old-space-size=${heapMb}`, '--no-warnings', '--no-addons', '--disallow-code-generation-from-strings'],
    ...['--permission', ...readable(engine).map((file) => `--allow-fs-read=${asRight(file)}`)],
    ...[...engine.nodeOptions, engine.worker],
  ];
}

/** The code of the worker, and the package.json that says how to read it. */
function readable({ worker, folders }: Engine): string[] {
  const own = path.dirname(path.dirname(worker));
  return [own, path.join(packageFolder(worker), 'package.json'), ...folders];
}

/** A folder ends with a separator, without which its name would be a prefix of others. */
function asRight(file: string): string {
  return path.extname(file) === '.json' ? file : file + path.sep;
}

function confined(engine: Engine, args: string[]): Omit<Confined, 'limits'> {
  return { program: process.execPath, args, readable: readable(engine) };
}

function confinedLimits({ memoryMb, timeoutMs }: Pick<CodeLimits, 'memoryMb' | 'timeoutMs'>): Confined['limits'] {
  // The engine is compiled on several threads, whose time counts too.
  const cpuSeconds = Math.ceil(timeoutMs / 1_000) * 4 + 60;
  return { memoryMb: memoryMb + ownMemoryMb, memoryIs: 'data', processes: 64, fileMb: 1, cpuSeconds };
}
