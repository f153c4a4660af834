import { StateError, UsageError } from '../core/errors.ts';

/** What SQLite's primary result codes (sqlite.org/rescode.html) mean for the user, and what to do about them. */
const remedies: Record<number, string> = {
  3: 'access was denied: check the permissions of the file and its directory',
  5: 'another process kept it locked: wait for that process, or stop it, then try again',
  6: 'another process kept it locked: wait for that process, or stop it, then try again',
  8: 'it cannot be written: make the file and its directory writable, or choose another place',
  10: 'reading or writing the disk failed: check the disk, then resume the run',
  11: 'it is damaged: restore it from a backup, or move it (with its -wal file) away and start afresh',
  13: 'the disk is full: free some space, then resume the run',
  14: 'it cannot be opened: check that its directory exists and can be written, or choose another place',
  26: 'it is not a database of this program: move it away, or choose another file',
};

const full = 13;
const cannotOpen = 14;

/** SQLite's primary result code of an error, or the one that says the same as an error of the file system. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // node:sqlite puts the extended result code there; the low byte is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  if ('syscall' in error && 'code' in error) return error.code === 'ENOSPC' ? full : cannotOpen;
  return undefined;
}

/** The same error for the user: which file, what happened, what to do. What says so already is left as it is. */
export function stateErrorOf(error: unknown, file: string): StateError | UsageError {
  if (error instanceof StateError || error instanceof UsageError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const remedy = remedies[sqliteCode(error) ?? -1] ?? 'see the cause, then resume the run';
  return new StateError(`the run store ${file} cannot be used (${detail}): ${remedy}`, { cause: error });
}
