import type { ProcessRun } from '../../process/run-process.ts';

export type Language = 'javascript' | 'typescript' | 'python';

/** `wasm`: an engine compiled to WebAssembly. `native`: python3 or Node itself in bubblewrap. */
export type SandboxKind = 'wasm' | 'native';

export interface CodeLimits {
  memoryMb: number;
  timeoutMs: number;
  maxOutputBytes: number;
}

export interface CodeJob {
  language: Language;
  code: string;
  stdin: string;
}

/** A way to run code; what the process gets as input and as request is up to it. */
export interface Sandbox {
  /** For people: the engine and the walls around it. */
  label: string;
  start(
    job: CodeJob,
    limits: CodeLimits,
  ): Pick<ProcessRun, 'program' | 'args' | 'input' | 'env' | 'data' | 'cwd' | 'identity'> & { request: string };
}

/** Whether a sandbox can be used here; if not, why and what to do. */
export type Offer = { sandbox: Sandbox } | { missing: string };

/** Of the value of the last expression as text; a longer one is cut. */
export const maxResultChars = 20_000;

/** Of the report: the result as JSON, in which a character may take six bytes. */
export const maxReportBytes: number = 256 * 1024;

/** Pyodide starts in about 2 s on an idle machine; more than this means that something is wrong. */
export const startupMs = 30_000;
