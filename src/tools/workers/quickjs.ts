/** JavaScript of a stranger in QuickJS: an engine compiled to WebAssembly that has nothing of this process but `write`. */
import { stripTypeScriptTypes } from 'node:module';
import type { newQuickJSWASMModuleFromVariant, QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import {
  type CodeReport,
  closeRealm,
  readRequest,
  tellReady,
  tellReport,
  writeAll,
} from '../process/sandbox-worker.ts';

interface QuickJsRequest {
  code: string;
  stdin: string;
  typescript: boolean;
  memoryBytes: number;
  maxResultChars: number;
  /** Where the two packages are. */
  core: string;
  variant: string;
}

const stackBytes = 512 * 1024;
const fileName = 'main.js';

/** Runs inside the engine: what a program expects of a console, and how a value is shown. */
const prelude = `(write) => {
  const { stringify } = JSON;
  const plain = (key, value) => {
    if (typeof value === 'bigint') return value + 'n';
    if (value instanceof Map) return { Map: [...value] };
    if (value instanceof Set) return { Set: [...value] };
    return value;
  };
  const show = (value) => {
    if (typeof value === 'bigint') return value + 'n';
    if (value instanceof Error) return value + '\\n' + value.stack;
    if (typeof value === 'function' || typeof value === 'symbol') return String(value);
    try { return stringify(value, plain) ?? String(value); } catch { return String(value); }
  };
  const line = (descriptor) => (...values) =>
    write(descriptor, values.map((value) => (typeof value === 'string' ? value : show(value))).join(' ') + '\\n');
  const out = line(1);
  const err = line(2);
  globalThis.console = { log: out, info: out, debug: out, warn: err, error: err };
  globalThis.print = out;
  return (value) => (value === undefined ? undefined : show(value));
}`;

const request = readRequest() as QuickJsRequest;
const core = (await import(request.core)) as {
  newQuickJSWASMModuleFromVariant: typeof newQuickJSWASMModuleFromVariant;
};
// The package is CommonJS or a module, which decides where the variant is.
const variant = (await import(request.variant)) as { default: Parameters<typeof newQuickJSWASMModuleFromVariant>[0] };
const engine = await core.newQuickJSWASMModuleFromVariant(variant.default);
const runtime = engine.newRuntime({ memoryLimitBytes: request.memoryBytes, maxStackSizeBytes: stackBytes });
const context = runtime.newContext();
const show = installPrelude(context);
const { exit } = process;
const code = withoutTypes();
closeRealm();
tellReady();
tellReport(code === undefined ? { error: true } : run(code));
exit(0);

function installPrelude(vm: QuickJSContext): QuickJSHandle {
  const write = vm.newFunction('write', (descriptor, text) => {
    writeAll(vm.getNumber(descriptor) === 2 ? 2 : 1, vm.getString(text));
  });
  vm.setProp(vm.global, 'stdin', vm.newString(request.stdin));
  const install = vm.unwrapResult(vm.evalCode(prelude, 'prelude.js'));
  return vm.unwrapResult(vm.callFunction(install, vm.undefined, write));
}

function withoutTypes(): string | undefined {
  if (!request.typescript) return request.code;
  try {
    return stripTypeScriptTypes(request.code);
  } catch (error) {
    writeAll(2, `${error}\n`);
    return undefined;
  }
}

function run(source: string): CodeReport {
  const asModule = isModule(source);
  const evaluated = context.evalCode(source, fileName, { type: asModule ? 'module' : 'global' });
  if (evaluated.error) return failure(evaluated.error);
  while (runtime.hasPendingJob()) {
    const jobs = runtime.executePendingJobs();
    if (jobs.error) return failure(jobs.error);
  }
  const state = context.getPromiseState(evaluated.value);
  if (state.type === 'rejected') return failure(state.error);
  if (state.type === 'pending') return { error: false, result: 'a promise that nothing settles' };
  return success(asModule ? context.getProp(state.value, 'default') : state.value);
}

/** Top-level await, import and export are for modules only; anything else is a script, which has a last value. */
function isModule(source: string): boolean {
  if (!/\b(?:await|import|export)\b/.test(source)) return false;
  const compiled = context.evalCode(source, fileName, { type: 'global', compileOnly: true });
  compiled.dispose();
  return compiled.error !== undefined;
}

function success(value: QuickJSHandle): CodeReport {
  const shown = context.callFunction(show, context.undefined, value);
  if (shown.error) return failure(shown.error);
  if (context.typeof(shown.value) !== 'string') return { error: false };
  return { error: false, result: context.getString(shown.value).slice(0, request.maxResultChars) };
}

function failure(error: QuickJSHandle): CodeReport {
  const shown = context.callFunction(show, context.undefined, error);
  writeAll(2, shown.error ? 'an error that cannot be shown\n' : `${context.getString(shown.value)}\n`);
  return { error: true };
}
