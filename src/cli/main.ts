/** The entry of the command line. Little is imported here, and what a command needs only when it runs. */
import { enableCompileCache } from 'node:module';
import { quietWarnings } from './quiet-warnings.ts';

/** How long something that is left over, such as a tool that ignores its signal, may keep the process after the command is done. */
const leftoverMs = 1_000;

/** Runs one command. Sets `process.exitCode`, prints any error as one paragraph, and never rejects. */
export async function main(args: string[]): Promise<void> {
  quietWarnings();
  enableCompileCache();
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endOfReader);
  try {
    const { runProgram } = await import('./program.ts');
    process.exitCode = await runProgram(args);
  } catch (error) {
    await tellError(error, args.includes('--json'));
  }
  leaveSoon();
}

async function tellError(error: unknown, json: boolean): Promise<void> {
  const { debugText, explainError } = await import('./report-error.ts');
  const { exitCode, kind, message } = explainError(error);
  process.exitCode = exitCode;
  if (json) process.stdout.write(`${JSON.stringify({ error: { kind, message, exitCode } }, null, 2)}\n`);
  process.stderr.write(`assay: ${message}\n`);
  const debug = debugText(error);
  if (debug !== undefined) process.stderr.write(`${debug}\n`);
}

/** A reader such as `head` that has seen enough is no error; a full disk behind a redirection is. */
function endOfReader(error: Error): void {
  if (!('code' in error && error.code === 'EPIPE')) process.exitCode ||= 1;
}

/** Ends the process when only leftovers keep it, and not before everything is written. */
function leaveSoon(): void {
  setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) leaveSoon();
    else process.exit();
  }, leftoverMs).unref();
}
