import type { Attempt } from './attempt.ts';
import type { Usage } from './usage.ts';

/** How a run stands. `awaiting_approval` is the host's word: the coroutine is gone until a decision arrives. */
export type Status =
  | 'completed'
  | 'revised'
  | 'needs_more_evidence'
  | 'awaiting_approval'
  | 'stopped'
  | 'failed'
  | 'cancelled';

/** Why a run has its status: a code for programs, a sentence for people. */
export interface Reason {
  code: string;
  detail: string;
}

/** Ratios and counts of one run, for reports and evaluations. */
export interface Metrics {
  turns: number;
  toolCalls: number;
  toolErrors: number;
  /** Claims whose every quote was found in the observation it names, and all claims. */
  supportedClaims: number;
  claims: number;
  revisions: number;
  activeMs: number;
}

/** The one shape for every ending of a run. Nothing found is ever lost: a throw becomes a Result with the kept attempt. */
export interface Result {
  runId: string;
  status: Status;
  reason: Reason;
  answer?: string | undefined;
  attempt: Attempt;
  /** The only judge was the model that answered; say so wherever the answer is shown. */
  selfChecked: boolean;
  usage: Usage;
  metrics: Metrics;
}
