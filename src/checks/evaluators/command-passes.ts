import { statSync } from 'node:fs';
import { UsageError } from '../../core/errors.ts';
import type { Evaluation, Evaluator } from '../check.ts';
import { type CommandOutcome, runUserCommand, type UserCommand } from './run-user-command.ts';

export interface CommandPassesOptions extends Omit<UserCommand, 'command'> {
  /** Tests that must have been run, by the command's own summary. Default: 1 where a summary is found, else the exit code decides. */
  minTests?: number;
}

/**
 * Passes when a command of the user ends with exit code 0, no failed test in its summary, and not with zero tests. It judges the
 * folder, not the answer: for agents that write files. It runs with the user's rights, so only name one that you would run yourself.
 */
export function commandPasses(command: string, options: CommandPassesOptions = {}): Evaluator {
  if (command.trim() === '') throw new UsageError('commandPasses: the command is empty; write for example "npm test"');
  if (options.cwd !== undefined && !statSync(options.cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`commandPasses: cwd ${options.cwd} is not a folder; create it, or name another`);
  return {
    name: 'command',
    knows: 'tests',
    evaluate: async (_attempt, _task, context) => {
      const outcome = await runUserCommand(context, { ...options, command, step: 'evaluate.command' });
      return verdictOf(outcome, command, options.minTests);
    },
  };
}

function verdictOf(outcome: CommandOutcome, command: string, minTests: number | undefined): Evaluation {
  const { exitCode, stopped, counts, output } = outcome;
  const { passed, failed } = counts ?? { passed: 0, failed: 0 };
  const executed = passed + failed;
  const ended = endingText(outcome);
  const fail = (why: string, score: number): Evaluation => ({
    pass: false,
    score,
    feedback: `${command} ${why}\n${output}`.trim(),
  });
  const share = failed > 0 ? Math.max(0, executed - failed) / Math.max(1, executed) : 0;
  if (exitCode !== 0 || stopped) return fail(ended, share);
  if (failed > 0) return fail(`${ended}, but ${failed} tests failed`, share);
  const least = minTests ?? (counts ? 1 : 0);
  if (executed < least) {
    const found = counts ? `${executed} tests were run` : 'its output states no number of tests';
    return fail(`${ended}, but ${found}, and at least ${least} are needed`, 0);
  }
  return { pass: true, score: 1, feedback: `${command} ${ended}${counts ? `, ${executed} tests passed` : ''}` };
}

function endingText({ exitCode, stopped }: CommandOutcome): string {
  if (stopped) return `was ended (${stopped})`;
  return exitCode === null ? 'was killed' : `ended with exit code ${exitCode}`;
}
