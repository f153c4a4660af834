/** The JavaScript around Pyodide: a bare realm in which only the functions below lead outside, and they take and give plain values. */
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vm from 'node:vm';
import { bareRealm, writeAll } from '../process/sandbox-worker.ts';

/** Runs in the realm. Pyodide takes it for a shell without files and without network, because it finds no Node. */
const prepare = `(({ write, random, now }, memoryBytes) => {
  const { Uint8Array, Error, RangeError } = globalThis;
  const { fromCharCode } = String;
  const { grow } = WebAssembly.Memory.prototype;
  const { apply } = Reflect;
  const pageBytes = 65536;
  const none = () => { throw new Error('not available'); };
  const quiet = () => {};
  const text = (bytes) => {
    let latin = '';
    for (let index = 0; index < bytes.length; index++) latin += fromCharCode(bytes[index]);
    return latin;
  };
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * pageBytes > memoryBytes) throw new RangeError('out of memory');
    return apply(grow, this, [pages]);
  };
  globalThis.console = { log: quiet, info: quiet, debug: quiet, warn: quiet, error: quiet };
  globalThis.performance = { now: () => now() };
  globalThis.crypto = {
    getRandomValues: (view) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      for (let index = 0; index < bytes.length; index++) bytes[index] = random();
      return view;
    },
  };
  globalThis.WorkerGlobalScope = class {};
  globalThis.setTimeout = none;
  globalThis.clearTimeout = quiet;
  globalThis.read = none;
  globalThis.load = none;
  const stream = (descriptor) => ({
    write: (bytes) => {
      try { write(descriptor, text(bytes)); } catch { throw new Error('the output is closed'); }
      return bytes.length;
    },
  });
  return async (loadPyodide, createPyodideModule, lock, program) => {
    const python = await loadPyodide({
      indexURL: '/',
      packageBaseUrl: '/',
      lockFileContents: JSON.parse(lock),
      createPyodideModule,
      jsglobals: Object.create(null),
    });
    // What it gives back longer ASCII texts by. While it loads there must be none, so that other texts are read without.
    globalThis.TextDecoder = class { decode(bytes) { return text(bytes); } };
    python.setStdout(stream(1));
    python.setStderr(stream(2));
    python.setStdin({ stdin: () => null });
    const main = python.runPython(program);
    return (request) => main(request);
  };
})`;

type Start = (
  loadPyodide: unknown,
  createModule: unknown,
  lock: string,
  program: string,
) => Promise<(request: string) => unknown>;

const files = ['pyodide.asm.wasm', 'python_stdlib.zip'];

/** Loads Pyodide from its package's folder, runs `program` and gives the function that is the program's last value. */
export async function pyodideProgram(
  folder: string,
  program: string,
  memoryBytes: number,
): Promise<(request: string) => unknown> {
  const realm = bareRealm();
  const start = vm.runInContext(prepare, realm)(hostFunctions(), memoryBytes) as Start;
  vm.runInContext('(read) => { globalThis.readbuffer = read; }', realm)(fileReader(folder, realm));
  const [loader, module] = [await load('pyodide.mjs', folder, realm), await load('pyodide.asm.mjs', folder, realm)];
  const { info } = JSON.parse(readFileSync(join(folder, 'pyodide-lock.json'), 'utf8')) as { info: unknown };
  // No package is offered: there is nowhere to load one from.
  const run = await start(loader['loadPyodide'], module['default'], JSON.stringify({ info, packages: {} }), program);
  vm.runInContext('delete globalThis.readbuffer', realm);
  return run;
}

function hostFunctions(): Record<string, (...values: never[]) => unknown> {
  let pool = Buffer.alloc(0);
  let next = 0;
  const random = (): number => {
    if (next === pool.length) [pool, next] = [randomBytes(1_024), 0];
    return pool.readUInt8(next++);
  };
  const write = (descriptor: unknown, latin: unknown): void => {
    if (typeof latin === 'string') writeAll(descriptor === 2 ? 2 : 1, latin, 'latin1');
  };
  const { performance } = globalThis;
  return { write, random, now: () => performance.now() };
}

/** Gives the two files of Pyodide as arrays of its own realm; gone before any other code runs. */
function fileReader(folder: string, realm: vm.Context): (name: string) => unknown {
  const allocate = vm.runInContext('(length) => new Uint8Array(length)', realm) as (length: number) => Uint8Array;
  return (name) => {
    const file = files.find((known) => name.endsWith(known));
    if (file === undefined) return undefined;
    const bytes = readFileSync(join(folder, file));
    const own = allocate(bytes.length);
    own.set(bytes);
    return own;
  };
}

async function load(name: string, folder: string, realm: vm.Context): Promise<Record<string, unknown>> {
  const module = new vm.SourceTextModule(readFileSync(join(folder, name), 'utf8'), {
    context: realm,
    identifier: name,
    initializeImportMeta: (meta) => {
      meta.url = `/${name}`;
    },
  });
  await module.link(() => {
    throw new Error(`${name} imports another module`);
  });
  await module.evaluate();
  // A namespace object has the module's exports and nothing else.
  return module.namespace as Record<string, unknown>;
}
