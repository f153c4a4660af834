/**
 * Work that must not run in this process: code of strangers, parsers that can hang, queries without end. A worker is a module of
 * `src/tools/workers` that a Node process of its own runs once and that `call-worker` kills at its limits, whatever it does.
 */
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Limiter } from '../../runtime/limiter.ts';
import { type ProcessEnd, runProcess } from './run-process.ts';

export interface WorkerLimits {
  timeoutMs: number;
  /** Of the JavaScript heap; memory of WebAssembly is limited by the worker itself. Default 256. */
  memoryMb?: number;
  /** Of the answer as JSON. Default 8 MiB. */
  maxOutputBytes?: number;
  signal: AbortSignal;
  /** More options of Node for the process, for example those of its permission model. */
  nodeOptions?: readonly string[];
}

/** Why a worker gave no answer. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  readonly reason: 'timeout' | 'output' | 'memory' | 'crash' | 'failed';
  constructor(reason: WorkerError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Many pages read at once must not become as many processes; the others wait their turn. */
const slots = 'worker';
const processes: Limiter = new Limiter({ [slots]: { concurrency: Math.max(2, availableParallelism()) } });

const mebibyte = 1024 * 1024;
const shownStderr = 2_000;

/**
 * Sends the request (JSON) to a fresh process of the worker and gives its answer (JSON). The process has no environment. Rejects with
 * `WorkerError`, or with the signal's reason when aborted; the process is gone in every case.
 */
export async function callWorker(name: string, request: unknown, limits: WorkerLimits): Promise<unknown> {
  const { timeoutMs, memoryMb = 256, maxOutputBytes = 8 * mebibyte, signal, nodeOptions = [] } = limits;
  const input = JSON.stringify(request);
  const release = await processes.acquire(slots, signal);
  const end = await runProcess({
    program: process.execPath,
    args: [`--max-old-space-size=${memoryMb}`, '--no-warnings', ...nodeOptions, workerFile(name)],
    env: {},
    input,
    timeoutMs,
    maxOutputBytes,
    signal,
  }).finally(release);
  return answerOf(end, { name, timeoutMs, maxOutputBytes });
}

function answerOf(end: ProcessEnd, limits: { name: string; timeoutMs: number; maxOutputBytes: number }): unknown {
  if (end.stopped === 'timeout')
    throw new WorkerError('timeout', `no result within ${limits.timeoutMs} ms; it was ended`);
  if (end.stopped === 'output')
    throw new WorkerError('output', `more than ${limits.maxOutputBytes} bytes of output; it was ended`);
  const stderr = end.stderr.toString('utf8');
  if (end.code !== 0) {
    if (/heap out of memory|Allocation failed/.test(stderr)) throw new WorkerError('memory', 'it ran out of memory');
    const how = end.code === null ? `signal ${end.killedBy}` : `exit code ${end.code}`;
    throw new WorkerError(
      'crash',
      `the ${limits.name} process ended with ${how}: ${stderr.slice(-shownStderr).trim()}`,
    );
  }
  const answer = JSON.parse(end.stdout.toString('utf8')) as { value?: unknown; error?: string };
  if (answer.error !== undefined) throw new WorkerError('failed', answer.error);
  return answer.value;
}

/** The worker's file: beside this one in the source, in `dist/workers` of the published package. */
export function workerFile(name: string): string {
  const here = new URL(import.meta.url);
  if (here.pathname.endsWith('.ts')) return fileURLToPath(new URL(`../workers/${name}.ts`, here));
  const inChunks = basename(fileURLToPath(new URL('.', here))) === 'chunks';
  return fileURLToPath(new URL(`${inChunks ? '../' : './'}workers/${name}.js`, here));
}
