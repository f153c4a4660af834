/**
 * One run of another program, bounded in time and output.
 *
 * 1. The program leads a process group of its own, and only that group is ever signalled, and only while its leader lives.
 * 2. The promise settles once and soon after the program's end, also when a grandchild keeps the output open.
 * 3. No stream of the program can raise an unhandled error: it may exit without reading its input.
 * 4. What comes on a control stream is as untrusted as the output: it is bounded in the same way, and its meaning is the caller's to check.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';

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
  /** A stream beside the output, for a program that takes a request and has more to tell than what it prints. */
  control?: Control | undefined;
  /** What the program reads from descriptor 4. */
  data?: Uint8Array | undefined;
  /** As whom the program runs; only a privileged process may choose. */
  identity?: { uid: number; gid: number } | undefined;
}

/** Descriptor 3. The first byte that the program writes says that it is ready: `timeoutMs` counts from then. */
export interface Control {
  request: string;
  /** Until the first byte; after this the group is ended. */
  startupMs: number;
  /** Of what the program writes to it; at more the group is ended. */
  maxBytes: number;
}

export interface ProcessEnd {
  /** Null when a signal ended it. */
  code: number | null;
  killedBy: NodeJS.Signals | null;
  /** Why this process ended it, if it did. */
  stopped?: 'timeout' | 'output';
  stdout: Buffer;
  stderr: Buffer;
  /** What came on the control stream. */
  report: Buffer;
  /** From the first byte of the control stream to the end; absent when the program never was ready. */
  readyMs?: number;
}

/** How long the output may stay open after the program's end. */
const drainMs = 2_000;

/** Runs the program to its end. Rejects with the signal's reason when aborted and with the system's error when it cannot be started. */
export async function runProcess(run: ProcessRun): Promise<ProcessEnd> {
  run.signal?.throwIfAborted();
  const child = spawn(run.program, run.args, {
    ...(run.cwd !== undefined && { cwd: run.cwd }),
    ...(run.env && { env: run.env }),
    ...run.identity,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe', ...moreStreams(run)],
    // The first three are pipes, which the compiler cannot tell from a list with conditions.
  }) as ChildProcessWithoutNullStreams;
  return endOf(child, run);
}

function moreStreams({ control, data }: ProcessRun): ('pipe' | 'ignore')[] {
  if (data) return [control ? 'pipe' : 'ignore', 'pipe'];
  return control ? ['pipe'] : [];
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
  const report = new Collected(run.control?.maxBytes ?? 0, () => stop('output'));
  let timer = setTimeout(() => stop('timeout'), run.control?.startupMs ?? run.timeoutMs);
  let readyAt: number | undefined;
  const onReady = (): void => {
    readyAt = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => stop('timeout'), run.timeoutMs);
  };
  const stdout = new Collected(run.maxOutputBytes, () => stop('output'));
  const stderr = new Collected(run.maxOutputBytes, () => stop('output'));
  child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
  const streams = child.stdio.filter((stream) => stream !== null && stream !== undefined);
  for (const stream of streams) stream.on('error', () => undefined);
  child.on('error', reject);
  child.on('exit', () => {
    setTimeout(() => streams.map((stream) => stream.destroy()), drainMs).unref();
  });
  child.on('close', (code, killedBy) => {
    const output = { stdout: stdout.bytes(), stderr: stderr.bytes(), report: report.bytes() };
    const readyMs = readyAt === undefined ? {} : { readyMs: Math.round(performance.now() - readyAt) };
    resolve({ code, killedBy, ...(stopped && { stopped }), ...output, ...readyMs });
  });
  child.stdin.end(run.input ?? '');
  const [, , , control, data] = child.stdio;
  if (control instanceof Duplex && run.control) {
    control.once('data', onReady).on('data', (chunk: Buffer) => report.add(chunk));
    control.end(run.control.request);
  }
  if (data instanceof Duplex) data.end(run.data);
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
