/**
 * The class of an error says what happens next; the message says what happened, why, and the remedy.
 *
 * `UsageError`: the caller's input is wrong, fix it (exit code 2). `StateError`: the stored state cannot be used as asked.
 * `StepFailedError`: a journaled failure, the same on replay. `UncertainOutcomeError`: an effect may have happened, ask.
 * `CancelledError`: unwind now. `NondeterminismError`: the journal does not fit the code, park the run.
 */

/** The caller asked for something that cannot be: a bad option, an unknown model, a missing file or key. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Stored state is missing, locked, corrupt or belongs to someone else. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

/** A step ended in an error and that is recorded. `cause` names the original class. */
export class StepFailedError extends Error {
  override readonly name = 'StepFailedError';
  readonly causeName: string;
  constructor(step: string, causeName: string, message: string) {
    super(`${step}: ${message}`);
    this.causeName = causeName;
  }
}

/** An at-most-once step was begun before a crash and has no recorded result: whether its effect happened is not known. */
export class UncertainOutcomeError extends Error {
  override readonly name = 'UncertainOutcomeError';
  constructor(step: string) {
    super(
      `${step} was begun before a crash and left no result: find out whether its effect happened, never repeat it blindly`,
    );
  }
}

/** The run was cancelled. Every pending operation rejects with it; cleanup steps still work. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
  constructor(reason = 'the run was cancelled') {
    super(reason);
  }
}

/** The recorded journal does not fit what the code asks for. The run is parked, never failed (invariant 13). */
export class NondeterminismError extends Error {
  override readonly name = 'NondeterminismError';
}

/** True for the two errors that every layer and every catch has to let through. */
export function mustPass(error: unknown): boolean {
  return error instanceof CancelledError || error instanceof NondeterminismError;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return error === undefined ? 'undefined was thrown' : String(error);
}
