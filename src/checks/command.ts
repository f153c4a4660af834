import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { splitCommand } from '../model/providers/split-command.ts';
import type { ProcessEnd } from '../tools/process/run-process.ts';
import type { Check } from './check.ts';
import { type TestCounts, testCounts } from './test-counts.ts';

export interface CommandOptions {
  /** Where it runs. Default: the working directory. */
  cwd?: string;
  /** The check's name. Default `command`. */
  name?: string;
  /** Reads counts from standard output and error together. Default: `testCounts`. `false`: the exit code alone decides. */
  parse?: ((output: string) => TestCounts | undefined) | false;
  /** After this the program and what it started are ended, and the check fails. Default 120,000. */
  timeoutMs?: number;
  /** Of standard output and of standard error, each; at more the program is ended. Default 1 MiB. */
  maxOutputBytes?: number;
  /** Added to the environment of this process. */
  env?: Readonly<Record<string, string>>;
}

/** What is recorded of one run. */
interface Ended {
  code: number | null;
  stopped?: 'timeout' | 'output';
  counts?: TestCounts;
  /** The end of its output. */
  tail: string;
}

const tailCharacters = 4_000;
const graceMs = 2_000;

/**
 * A command of the user, such as `npm test`, run in a step: it passes with exit code 0, unless its output counts tests
 * and none ran or some failed. The words are split as in a shell, but no shell runs: `|`, `>` and `$` are plain
 * characters. Never give it a text that a model wrote; that is what `code` and `runCode` are for. A program that does
 * not start fails the step. Throws `UsageError` for a command without words or an open quote.
 */
export function command(line: string | readonly [string, ...string[]], options: CommandOptions = {}): Check {
  const { name = 'command' } = options;
  const words = typeof line === 'string' ? wordsOf(line) : line;
  return {
    name,
    run: async (_attempt, _task, { step }) => {
      const ended = await step(`${name}.run`, ({ signal }) => execute(words, options, signal));
      const why = faultOf(ended, options);
      return why === undefined ? [] : [failed(words.join(' '), why, ended.tail)];
    },
  };
}

function wordsOf(line: string): [string, ...string[]] {
  try {
    return splitCommand(line);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`command: "${line}" names no program or has an open quote: write for example "npm test"`);
  }
}

async function execute(
  words: readonly [string, ...string[]],
  options: CommandOptions,
  signal: AbortSignal,
): Promise<Ended> {
  // What starts programs is loaded by the first run, not by the start of the program.
  const { runProcess } = await import('../tools/process/run-process.ts');
  const [program, ...args] = words;
  const { cwd, env, timeoutMs = 120_000, maxOutputBytes = 1024 * 1024, parse = testCounts } = options;
  const end = await runProcess({
    ...{ program, args, timeoutMs, maxOutputBytes, signal, graceMs },
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
  });
  const output = outputOf(end);
  const counts = parse === false ? undefined : parse(output);
  return {
    code: end.code,
    ...(end.stopped && { stopped: end.stopped }),
    ...(counts && { counts }),
    tail: output.slice(-tailCharacters).toWellFormed(),
  };
}

function outputOf({ stdout, stderr }: ProcessEnd): string {
  return [stdout, stderr]
    .map((stream) => stream.toString('utf8').trimEnd())
    .filter((text) => text !== '')
    .join('\n');
}

function faultOf({ code, stopped, counts }: Ended, { timeoutMs = 120_000 }: CommandOptions): string | undefined {
  if (stopped === 'timeout') return `was ended after ${timeoutMs} ms`;
  if (stopped === 'output') return 'was ended because it printed too much';
  if (code === null) return 'was ended by a signal';
  const failures =
    counts !== undefined && counts.failed > 0
      ? `${counts.failed} of ${counts.failed + counts.passed} tests failed`
      : undefined;
  if (code !== 0) return failures ?? `ended with exit code ${code}`;
  if (failures) return `ended with exit code 0, but ${failures}`;
  return counts !== undefined && counts.passed === 0 ? 'ended with exit code 0, but ran no test' : undefined;
}

function failed(line: string, why: string, tail: string): Issue {
  return {
    type: 'failed_check',
    detail: `\`${line}\` ${why}${tail === '' ? '' : `. The end of its output:\n${tail}`}`,
    requiredAction: 'mend what makes it fail; it will be run again',
  };
}
