import { type ProcessEnd, runProcess } from '../../process/run-process.ts';
import { type Confined, confinedRun } from './bubblewrap.ts';
import { probeConfined } from './probe.ts';

export interface ConfinedOutcome {
  ended: 'completed' | 'timeout' | 'too much output';
  /** As a shell has it: 128 and the number for the end by a signal. Absent when the command was ended. */
  exitCode?: number;
  stdout: string;
  stderr: string;
  ms: number;
}

/** Runs the program to its end or its limits. Throws when bubblewrap does not work here, and with the signal's reason. */
export async function runConfined(
  confined: Confined,
  limits: { timeoutMs: number; maxOutputBytes: number; signal: AbortSignal },
): Promise<ConfinedOutcome> {
  const probe = await probeConfined({ ...confined, args: ['-c', ':'] });
  if (!probe.works) throw new Error(`The command was not run: ${probe.detail}.`);
  const from = performance.now();
  const end = await runProcess({ ...confinedRun(confined), ...limits });
  return {
    ended: endingOf(end),
    ...(end.code !== null && !end.stopped && { exitCode: end.code }),
    stdout: end.stdout.toString('utf8'),
    stderr: end.stderr.toString('utf8'),
    ms: Math.round(performance.now() - from),
  };
}

function endingOf({ stopped }: ProcessEnd): ConfinedOutcome['ended'] {
  if (stopped === undefined) return 'completed';
  return stopped === 'timeout' ? 'timeout' : 'too much output';
}
