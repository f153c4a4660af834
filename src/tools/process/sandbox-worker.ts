/**
 * The other end of `runProcess` with a control stream: what a worker that runs code of strangers needs before and after that code.
 * Everything is synchronous and on bare descriptors: the streams of `process` are sockets and would be a way to the network.
 */
import { Buffer } from 'node:buffer';
import { readFileSync, writeSync } from 'node:fs';
import * as vm from 'node:vm';

const controlDescriptor = 3;

/** Reads the request that `runProcess` sends. */
export function readRequest(): unknown {
  return JSON.parse(readFileSync(controlDescriptor, 'utf8'));
}

/** Says that the code of the stranger starts now, from which on its time counts. */
export function tellReady(): void {
  writeAll(controlDescriptor, '\n');
}

/** Writes text, or bytes as a string of `latin1`, to the end. */
export function writeAll(descriptor: number, text: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
  const bytes = Buffer.from(text, encoding);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/** How the code of the stranger ended. */
export interface CodeReport {
  error: boolean;
  result?: string;
}

/** Sends the report. */
export function tellReport(report: CodeReport): void {
  writeAll(controlDescriptor, JSON.stringify(report));
}

/** A realm with the language and nothing else: no object of this one, no code from strings, no import. */
export function bareRealm(): vm.Context {
  return vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: true } });
}

/**
 * Takes from this realm whatever the language does not have (process, fetch, timers, …) and freezes the rest, so that code that
 * escapes into it finds no way on. What a module holds in variables stays with it.
 */
export function closeRealm(): void {
  const language = vm.runInContext('Object.getOwnPropertyNames(globalThis)', bareRealm()) as string[];
  const allowed = new Set(language.filter((name) => name !== 'console'));
  const globals: Record<string, unknown> = globalThis as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(globals)) {
    if (allowed.has(name)) freeze(globals[name]);
    else Reflect.deleteProperty(globals, name);
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'function') return;
  Object.freeze(value.prototype);
  Object.freeze(value);
}
