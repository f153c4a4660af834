/** Runs the command of a model: text in, text out. */
import { messageOf, UsageError } from '../../core/errors.ts';
import { type ProcessEnd, runProcess } from '../../tools/process/run-process.ts';

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
const keptStderrBytes = 4_000;
const shownStderrLines = 5;

/**
 * Runs the program and gives its standard output. Rejects with the signal's reason when aborted, with `UsageError` when the
 * program cannot be started, and with an `Error` on a timeout, a non-zero exit, too much output, or bytes that are no UTF-8.
 */
export async function runCommand(run: CommandRun): Promise<string> {
  const end = await runProcess({ ...run, graceMs: terminateGraceMs }).catch((error: unknown) => {
    run.signal?.throwIfAborted();
    throw startFailure(run.program, error);
  });
  checkEnd(end, run);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(end.stdout);
  } catch {
    throw new Error(`${run.program} wrote bytes that are not UTF-8 text: make it write its reply as UTF-8`);
  }
}

function checkEnd(end: ProcessEnd, { program, timeoutMs, maxOutputBytes }: CommandRun): void {
  if (end.stopped === 'timeout') {
    const seconds = timeoutMs / 1000;
    throw new Error(`${program} gave no reply within ${seconds} s and was ended: make it faster, or allow more time`);
  }
  if (end.stopped === 'output') {
    throw new Error(`${program} wrote more than ${maxOutputBytes} bytes and was ended: a reply has to be shorter`);
  }
  if (end.code === 0) return;
  const how = end.code === null ? `signal ${end.killedBy}` : `exit code ${end.code}`;
  const stderr = end.stderr.subarray(-keptStderrBytes).toString('utf8');
  const lines = stderr.trim().split('\n').slice(-shownStderrLines).join('\n');
  throw new Error(`${program} ended with ${how}${lines ? `: ${lines}` : ' and wrote nothing to its standard error'}`);
}

function startFailure(program: string, error: unknown): Error {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const why = missing ? 'there is no such program or working directory' : messageOf(error);
  return new UsageError(
    `the model command ${program} could not be started: ${why}. Check its path and that it is executable`,
  );
}
