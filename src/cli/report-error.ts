/** Anything that was thrown, as one paragraph with what happened, why and the remedy, and as an exit code. */
import { CancelledError, messageOf, StateError, UsageError } from '../core/errors.ts';
import { cleanText } from './clean.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

export interface Explained {
  exitCode: ExitCode;
  kind: 'usage' | 'state' | 'interrupted' | 'internal';
  message: string;
}

/** Wrong input is the caller's to mend (2), Ctrl-C is no failure (130); everything else is one (1). */
export function explainError(error: unknown): Explained {
  if (error instanceof UsageError)
    return { exitCode: exitCodes.usage, kind: 'usage', message: sentence(messageOf(error)) };
  if (error instanceof StateError)
    return { exitCode: exitCodes.failed, kind: 'state', message: sentence(messageOf(error)) };
  if (error instanceof CancelledError)
    return { exitCode: exitCodes.interrupted, kind: 'interrupted', message: sentence(messageOf(error)) };
  const system = systemRemedy(error);
  if (system !== undefined)
    return { exitCode: exitCodes.failed, kind: 'state', message: `${sentence(messageOf(error))} ${system}` };
  const message =
    `Unexpected error: ${sentence(messageOf(error))} This is a fault of assay. ` +
    'Run the command again with ASSAY_DEBUG=1 to see where it happened, and report that.';
  return { exitCode: exitCodes.failed, kind: 'internal', message };
}

/** The stack, for whoever asked for it with `ASSAY_DEBUG`. */
export function debugText(error: unknown, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env['ASSAY_DEBUG'] !== '1' || !(error instanceof Error)) return undefined;
  const cause = error.cause instanceof Error ? `\nCaused by: ${error.cause.stack ?? error.cause.message}` : '';
  return cleanText(`${error.stack ?? error.message}${cause}`);
}

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then try again.',
  EDQUOT: 'Your quota of disk space is used up: free some space, then try again.',
  EACCES: 'Check who may read and write it, or name another place.',
  EPERM: 'Check who may read and write it, or name another place.',
  EROFS: 'That disk is read-only: name another place with --home.',
  ENOENT: 'Check the path.',
  EISDIR: 'That is a folder: name a file.',
  ENOTDIR: 'A part of that path is a file: name another place.',
  EEXIST: 'A file is where a folder should be: name another place.',
  EMFILE: 'Too many files are open: raise the limit with ulimit -n, then try again.',
};

function systemRemedy(error: unknown): string | undefined {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' ? remedies[code] : undefined;
}

/** With a capital and a full stop, whatever the message began and ended with. */
function sentence(message: string): string {
  const text = cleanText(message).trim();
  const begun = /^[a-z]+(?=[ ,]|: )/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…)\n]$/.test(begun) || begun.includes('\n') ? begun : `${begun}.`;
}
