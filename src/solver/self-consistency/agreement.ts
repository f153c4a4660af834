import type { Attempt } from '../../core/attempt.ts';

/** How far samples agreed. `planned` counts those that an early stop made needless. */
export interface Agreement {
  /** Samples that gave the winning answer; 0 when no answer could be counted. */
  votes: number;
  drawn: number;
  planned: number;
}

/** The winning sample, unchanged but for how far the others agreed with it. */
export interface SampledAttempt extends Attempt {
  agreement: Agreement;
}

/** How far the samples agreed of which the attempt is the winner; undefined for an attempt that was not sampled. */
export function agreementOf(attempt: Attempt): Agreement | undefined {
  return isSampled(attempt) ? attempt.agreement : undefined;
}

function isSampled(attempt: Attempt): attempt is SampledAttempt {
  return 'agreement' in attempt;
}
