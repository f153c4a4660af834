/** A command of the user, such as `npm test`, with what its output says about tests. It is the user's word and runs with the user's rights. */
import { stripVTControlCharacters } from 'node:util';
import { secretsOf } from '../../trace/known-secrets.ts';
import type { CheckContext } from '../check.ts';
import { timedStep } from '../evaluators.ts';
import { type TestCounts, testCounts } from '../test-counts.ts';

export interface UserCommand {
  /** A line for `/bin/sh` (`cmd.exe` on Windows). */
  command: string;
  /** Default: the folder of this process. */
  cwd?: string | undefined;
  /** Beside the environment of this process, of which variables that look like secrets are left out. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Default 120,000. */
  timeoutMs?: number | undefined;
}

export interface CommandOutcome {
  /** Null when a signal or a limit ended it. */
  exitCode: number | null;
  stopped?: 'timeout' | 'output';
  /** The ends of standard output and error, without colours. */
  output: string;
  /** Absent when the output states none. */
  counts?: TestCounts;
}

const maxOutputBytes = 4 * 1024 * 1024;
const shownChars = 3_000;

/** Runs the command to its end, in one step. Rejects when it cannot be started. After a crash in the middle it runs again. */
export function runUserCommand(
  context: CheckContext,
  options: UserCommand & { step: string },
): Promise<CommandOutcome> {
  const { command, cwd, timeoutMs = 120_000 } = options;
  return timedStep(context, options.step, async ({ signal }) => {
    const { runProcess } = await import('../../tools/process/run-process.ts');
    const shell = process.platform === 'win32' ? { program: 'cmd.exe', args: ['/d', '/s', '/c', command] } : undefined;
    const end = await runProcess({
      ...(shell ?? { program: '/bin/sh', args: ['-c', command] }),
      cwd,
      env: { ...openEnvironment(), ...options.env },
      timeoutMs,
      maxOutputBytes,
      signal,
      graceMs: 1_000,
    });
    const stdout = plain(end.stdout);
    const stderr = plain(end.stderr);
    const counts = testCounts(`${stdout}\n${stderr}`);
    return {
      exitCode: end.code,
      ...(end.stopped && { stopped: end.stopped }),
      output: [stderr.slice(-shownChars / 3), stdout.slice(-shownChars)].filter((text) => text !== '').join('\n'),
      ...(counts && { counts }),
    };
  });
}

/** What a model wrote may run in these tests: keys of the user are no business of it. */
function openEnvironment(): NodeJS.ProcessEnv {
  const secrets = new Set(secretsOf(process.env, []));
  return Object.fromEntries(Object.entries(process.env).filter(([, value]) => !secrets.has(value ?? '')));
}

function plain(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).trim();
}
