import { stripVTControlCharacters } from 'node:util';
import { UsageError } from '../../core/errors.ts';
import { splitCommand } from '../../model/providers/split-command.ts';

const timeoutMs = 60_000;
const maxOutputBytes = 1024 * 1024;
const shownCharacters = 2_000;

/** The words of the user's command line. Throws `UsageError` for one without words or with an open quote. */
export function linterWords(line: string): [string, ...string[]] {
  try {
    return splitCommand(line);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `lint: "${line}" names no program or has an open quote: write for example "npx eslint --stdin"`,
    );
  }
}

/**
 * What a linter that reads the code on standard input says of it; undefined when it ends with exit code 0. Rejects when it cannot be
 * started or does not end.
 */
export async function lintProblems(
  [program, ...args]: readonly [string, ...string[]],
  source: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { runProcess } = await import('../../tools/process/run-process.ts');
  const end = await runProcess({ program, args, input: source, timeoutMs, maxOutputBytes, signal });
  if (end.stopped) throw new Error(`the linter ${program} was ended: ${end.stopped}`);
  if (end.code === 0) return undefined;
  const said = [end.stdout, end.stderr].map((stream) => stripVTControlCharacters(stream.toString('utf8')).trim());
  return (
    said
      .filter((text) => text !== '')
      .join('\n')
      .slice(0, shownCharacters) || `exit code ${end.code}`
  );
}
