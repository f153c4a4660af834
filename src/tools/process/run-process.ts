/**
 * One run of another program, bounded in time and output.
 *
 * 1. The program leads a process group of its own, and only that group is ever signalled, and only while its leader lives.
 * 2. The promise settles once and soon after the program's end, also when a grandchild keeps the output open.
 * 3. No stream of the program can raise an unhandled error: it may exit without reading its input.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

export interface ProcessRun {
  program: string;
  args: readonly string[];
  input?: string | Uint8Array;
  cwd?: string | undefined;
  /** The whole environment of the program. Default: that of this process. */
  env?: NodeJS.ProcessEnv | undefined;
  /** After this the group is ended. */
  timeoutMs: number;
  /** Of standard output and of standard error, each; at more the group is ended and what came before is kept. */
  maxOutputBytes: number;
  signal?: AbortSignal | undefined;
  /** Between the polite and the hard end. Default 0: killed at once. */
  graceMs?: number;
}

export interface ProcessEnd {
  /** Null when a signal ended it. */
  code: number | null;
  killedBy: NodeJS.Signals | null;
  /** Why this process ended it, if it did. */
  stopped?: 'timeout' | 'output';
  stdout: Buffer;
  stderr: Buffer;
}

/** How long the output may stay open after the program's end. */
const drainMs = 2_000;

/** Runs the program to its end. Rejects with the signal's reason when aborted and with the system's error when it cannot be started. */
export async function runProcess(run: ProcessRun): Promise<ProcessEnd> {
  run.signal?.throwIfAborted();
  const child = spawn(run.program, run.args, {
    ...(run.cwd !== undefined && { cwd: run.cwd }),
    ...(run.env && { env: run.env }),
    detached: process.platform !== 'win32',
  });
  return endOf(child, run);
}

function endOf(child: ChildProcessWithoutNullStreams, run: ProcessRun): Promise<ProcessEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<ProcessEnd>();
  let stopped: ProcessEnd['stopped'];
  const stop = (why?: ProcessEnd['stopped']): void => {
    stopped ??= why;
    endGroup(child, run.graceMs ?? 0);
  };
  const onAbort = (): void => {
    reject(run.signal?.reason);
    stop();
  };
  run.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop('timeout'), run.timeoutMs);
  const stdout = new Collected(run.maxOutputBytes, () => stop('output'));
  const stderr = new Collected(run.maxOutputBytes, () => stop('output'));
  child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  child.on('error', reject);
  child.on('exit', () => {
    setTimeout(() => [child.stdout, child.stderr].map((stream) => stream.destroy()), drainMs).unref();
  });
  child.on('close', (code, killedBy) =>
    resolve({ code, killedBy, ...(stopped && { stopped }), stdout: stdout.bytes(), stderr: stderr.bytes() }),
  );
  child.stdin.end(run.input ?? '');
  return promise.finally(() => {
    clearTimeout(timer);
    run.signal?.removeEventListener('abort', onAbort);
  });
}

/** The first bytes of a stream, up to a limit that is told of once. */
class Collected {
  readonly #chunks: Buffer[] = [];
  readonly #limit: number;
  readonly #full: () => void;
  #size = 0;

  constructor(limit: number, full: () => void) {
    this.#limit = limit;
    this.#full = full;
  }

  add(chunk: Buffer): void {
    const room = this.#limit - this.#size;
    this.#size += chunk.length;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    if (room >= 0 && chunk.length > room) this.#full();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function endGroup(child: ChildProcessWithoutNullStreams, graceMs: number): void {
  signalGroup(child, graceMs === 0 ? 'SIGKILL' : 'SIGTERM');
  if (graceMs === 0) return;
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  child.once('exit', () => clearTimeout(timer));
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It ended in between, which is what was wanted.
  }
}
