import type { Attempt } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import type { NamedSolver, Run } from '../solver.ts';
import type { BackOffRule } from './rules.ts';

export interface BackOffOptions {
  from: NamedSolver;
  to: NamedSolver;
  when: BackOffRule;
}

/** Which of the two made the attempt, so that a revision goes back to it. */
interface BackedOffAttempt extends Attempt {
  backedOff: boolean;
}

/**
 * Tries `from`, and where the rule applies to its attempt, `to`, with what was observed so far (Yao et al. 2023, section 3.3). The first
 * attempt stays where the second one brings nothing better. `brief.revise`: passes it on to the solver that made the attempt.
 */
export function backOff({ from, to, when }: BackOffOptions): NamedSolver {
  return {
    name: 'back-off',
    config: { from: from.name, to: to.name, when: when.name },
    solve: async (brief, run) => {
      if (brief.revise) {
        const second = madeBySecond(brief.revise.attempt);
        return marked(await (second ? to : from).solve(brief, run.scope(second ? 'to' : 'from')), second);
      }
      const first = await from.solve(brief, run.scope('from'));
      if (!when.applies(first) || isOutOfBudget(first)) return marked(first, false);
      return second(first, { to, brief, run });
    },
  };
}

async function second(
  first: Attempt,
  { to, brief, run }: { to: NamedSolver; brief: Brief; run: Run },
): Promise<Attempt> {
  run.keep(() => first);
  const scoped = run.scope('to');
  // An answer of the first is better than what an interruption leaves of the second.
  const trying = first.answer === undefined ? scoped : scoped.with({ kept: {} });
  const attempt = await to.solve({ ...brief, evidence: first.observations }, trying);
  return isPoorer(attempt, first) ? marked(first, false) : marked(attempt, true);
}

function marked(attempt: Attempt, backedOff: boolean): BackedOffAttempt {
  return { ...attempt, backedOff };
}

function madeBySecond(attempt: Attempt): boolean {
  return 'backedOff' in attempt && attempt.backedOff === true;
}

/** Another solver would be refused by the same limit. */
function isOutOfBudget({ ended }: Attempt): boolean {
  return ended.type === 'limit' && !['steps', 'no-progress', 'context'].includes(ended.limit);
}

function isPoorer(attempt: Attempt, first: Attempt): boolean {
  if (attempt.answer === undefined) return true;
  return first.answer !== undefined && attempt.degraded && !first.degraded;
}
