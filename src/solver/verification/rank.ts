import type { Attempt, Report } from '../../core/attempt.ts';

const verdictScore: Record<Report['verdict'], number> = { pass: 1, unchecked: 0.9, revise: 0.7, fail: 0.3 };
/** A last answer forced by a limit stands below the next better verdict. */
const degradedLoss = 0.15;
/** What any number of issues may take away: less than parts two verdicts. */
const issuesLoss = 0.1;

/** How good an attempt is by its last report, from 0 (no answer) to 1 (passed). It orders attempts; its distances measure nothing. */
export function scoreOf(attempt: Attempt): number {
  if (attempt.answer === undefined) return 0;
  const report = attempt.reports.at(-1);
  const faults = report?.verdict === 'revise' || report?.verdict === 'fail' ? report.issues.length : 0;
  return (
    verdictScore[report?.verdict ?? 'unchecked'] -
    (issuesLoss * faults) / (faults + 1) -
    (attempt.degraded ? degradedLoss : 0)
  );
}

/** The best-scored of the attempts; of equals the earlier one (invariant 9). */
export function best(tried: readonly Attempt[]): Attempt {
  const [first, ...rest] = tried;
  if (!first) throw new TypeError('best: no attempt was made');
  return rest.reduce((kept, next) => (scoreOf(next) > scoreOf(kept) ? next : kept), first);
}
