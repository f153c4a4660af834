import type { Attempt } from '../../core/attempt.ts';
import { agreementOf } from '../self-consistency/agreement.ts';

/** When an attempt is not good enough to keep: decided from what it says about itself, by code. */
export interface BackOffRule {
  readonly name: string;
  applies(attempt: Attempt): boolean;
}

/** The winning answer has fewer than half of the samples' votes, or there is none (Yao et al. 2023, section 3.3, B). */
export const belowHalf: BackOffRule = {
  name: 'below-half',
  applies: (attempt) => {
    const agreement = agreementOf(attempt);
    return attempt.answer === undefined || (agreement !== undefined && agreement.votes * 2 < agreement.planned);
  },
};

/** The loop came to no answer of its own in its steps (Yao et al. 2023, section 3.3, A); a forced last answer is none. */
export const unanswered: BackOffRule = {
  name: 'unanswered',
  applies: ({ answer, degraded }) => answer === undefined || degraded,
};
