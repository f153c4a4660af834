import { type ProcessEnd, runProcess } from '../../process/run-process.ts';
import { type CodeJob, type CodeLimits, maxReportBytes, maxResultChars, type Sandbox, startupMs } from './sandbox.ts';

/** What came of the code. Everything in it but `ended`, `sandbox` and `ms` is the code's own word. */
export interface CodeOutcome {
  ended: 'completed' | 'error' | 'timeout' | 'too much output' | 'killed';
  /** The last expression's value as text; absent for none. */
  result?: string;
  stdout: string;
  stderr: string;
  exitCode?: number;
  sandbox: string;
  /** From the start of the code, not of the sandbox. */
  ms: number;
}

/** Runs the code to its end or its limits. Throws when the sandbox itself did not start, and with the signal's reason. */
export async function runInSandbox(
  sandbox: Sandbox,
  job: CodeJob,
  limits: CodeLimits,
  signal: AbortSignal,
): Promise<CodeOutcome> {
  const { request, ...start } = sandbox.start(job, limits);
  const { timeoutMs, maxOutputBytes } = limits;
  const end = await runProcess({
    ...start,
    control: { request, startupMs, maxBytes: maxReportBytes },
    timeoutMs,
    maxOutputBytes,
    signal,
  });
  if (end.readyMs === undefined) throw new Error(notStarted(sandbox, end));
  const { error, result } = reportOf(end);
  return {
    ended: endingOf(end, error),
    ...(result !== undefined && { result }),
    stdout: end.stdout.toString('utf8'),
    stderr: end.stderr.toString('utf8'),
    ...(end.code !== null && end.code !== 0 && { exitCode: end.code }),
    sandbox: sandbox.label,
    ms: end.readyMs,
  };
}

function notStarted({ label }: Sandbox, end: ProcessEnd): string {
  const why = end.stopped ? `not ready within ${startupMs} ms` : end.stderr.toString('utf8').trim().slice(-1_000);
  return `The sandbox (${label}) did not start, so the code did not run: ${why || `exit code ${end.code}`}`;
}

/** The report is what the process wrote, and a stranger's code may have written there too. */
function reportOf(end: ProcessEnd): { error: boolean; result?: string } {
  try {
    const { error, result } = JSON.parse(end.report.toString('utf8')) as { error?: unknown; result?: unknown };
    return { error: error !== false, ...(typeof result === 'string' && { result: shortened(result) }) };
  } catch {
    return { error: end.code !== 0 };
  }
}

function shortened(result: string): string {
  return result.length < maxResultChars ? result : `${result.slice(0, maxResultChars)} [cut here]`;
}

/** A shell and bubblewrap report the end by a signal as 128 and its number. */
const firstSignalCode = 128;

function endingOf({ stopped, code }: ProcessEnd, error: boolean): CodeOutcome['ended'] {
  if (stopped === 'timeout') return 'timeout';
  if (stopped === 'output') return 'too much output';
  if (code === null || code > firstSignalCode) return 'killed';
  return error || code !== 0 ? 'error' : 'completed';
}
