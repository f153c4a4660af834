/**
 * One run of a child process.
 *
 * 1. The child leads a process group of its own, and only that group is ever signalled, and only while the child lives.
 * 2. The promise settles once and soon after the child's end, also when a grandchild keeps the output open.
 * 3. No stream of the child can raise an unhandled error: a child may exit without reading its input.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { UsageError } from '../../core/errors.ts';

export interface CommandRun {
  program: string;
  args: string[];
  input: string;
  timeoutMs: number;
  maxOutputBytes: number;
  cwd?: string | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  signal?: AbortSignal | undefined;
}

const terminateGraceMs = 2_000;
const drainGraceMs = 2_000;
const keptStderrChars = 4_000;
const shownStderrLines = 5;

/**
 * Runs the program and gives its standard output. Rejects with the signal's reason when aborted, with `UsageError` when the
 * program cannot be started, and with an `Error` on a timeout, a non-zero exit, too much output, or bytes that are no UTF-8.
 */
export async function runCommand(run: CommandRun): Promise<string> {
  run.signal?.throwIfAborted();
  const child = spawn(run.program, run.args, {
    ...(run.cwd !== undefined && { cwd: run.cwd }),
    ...(run.env && { env: run.env }),
    detached: process.platform !== 'win32',
  });
  const output = await outputOf(child, run);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(output);
  } catch {
    throw new Error(`${run.program} wrote bytes that are not UTF-8 text: make it write its reply as UTF-8`);
  }
}

function outputOf(child: ChildProcessWithoutNullStreams, run: CommandRun): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  const stop = (error: unknown): void => {
    reject(error);
    endGroup(child);
  };
  const onAbort = (): void => stop(run.signal?.reason);
  run.signal?.addEventListener('abort', onAbort, { once: true });
  const seconds = run.timeoutMs / 1000;
  const timer = setTimeout(
    () =>
      stop(
        new Error(`${run.program} gave no reply within ${seconds} s and was ended: make it faster, or allow more time`),
      ),
    run.timeoutMs,
  );
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= run.maxOutputBytes) chunks.push(chunk);
    else
      stop(
        new Error(
          `${run.program} wrote more than ${run.maxOutputBytes} bytes and was ended: a reply has to be shorter`,
        ),
      );
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-keptStderrChars);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  child.on('error', (error) => reject(startFailure(run.program, error)));
  child.on('exit', () => {
    setTimeout(() => [child.stdout, child.stderr].map((stream) => stream.destroy()), drainGraceMs).unref();
  });
  child.on('close', (code, killedBy) => {
    if (code === 0) resolve(Buffer.concat(chunks));
    else reject(exitFailure(run.program, { how: code === null ? `signal ${killedBy}` : `exit code ${code}`, stderr }));
  });
  child.stdin.end(run.input);
  return promise.finally(() => {
    clearTimeout(timer);
    run.signal?.removeEventListener('abort', onAbort);
  });
}

function startFailure(program: string, error: Error): Error {
  const why =
    'code' in error && error.code === 'ENOENT' ? 'there is no such program or working directory' : error.message;
  return new UsageError(
    `the model command ${program} could not be started: ${why}. Check its path and that it is executable`,
  );
}

function exitFailure(program: string, { how, stderr }: { how: string; stderr: string }): Error {
  const lines = stderr.trim().split('\n').slice(-shownStderrLines).join('\n');
  return new Error(`${program} ended with ${how}${lines ? `: ${lines}` : ' and wrote nothing to its standard error'}`);
}

function endGroup(child: ChildProcessWithoutNullStreams): void {
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), terminateGraceMs);
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
