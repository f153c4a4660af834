import type { Attempt, Report } from '../../core/attempt.ts';

/** How far from good: a verdict orders attempts, it does not measure them. */
const distance: Record<Report['verdict'], number> = { pass: 0, unchecked: 10, revise: 100, fail: 1000 };

/** The best of the attempts: verdict first, then fewer issues, then the earlier one (invariant 9). */
export function best(tried: readonly Attempt[]): Attempt {
  const [first, ...rest] = tried;
  if (!first) throw new TypeError('best: no attempt was made');
  return rest.reduce((kept, next) => (rank(next) < rank(kept) ? next : kept), first);
}

function rank(attempt: Attempt): number {
  const report = attempt.reports.at(-1);
  const missing = attempt.answer === undefined ? 2000 : 0;
  return (
    distance[report?.verdict ?? 'unchecked'] + (report?.issues.length ?? 0) + (attempt.degraded ? 50 : 0) + missing
  );
}
