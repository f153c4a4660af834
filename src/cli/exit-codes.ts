import type { Status } from '../core/result.ts';

/** What the process tells a shell. */
export const exitCodes = {
  completed: 0,
  failed: 1,
  usage: 2,
  stopped: 3,
  needsMoreEvidence: 4,
  awaitingApproval: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of a run by its status. */
export function exitCodeOf(status: Status): ExitCode {
  switch (status) {
    case 'completed':
    case 'revised':
      return exitCodes.completed;
    case 'needs_more_evidence':
      return exitCodes.needsMoreEvidence;
    case 'awaiting_approval':
      return exitCodes.awaitingApproval;
    case 'stopped':
      return exitCodes.stopped;
    case 'failed':
      return exitCodes.failed;
    case 'cancelled':
      return exitCodes.interrupted;
    default:
      return status satisfies never;
  }
}
