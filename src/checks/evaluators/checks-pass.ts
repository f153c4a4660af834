import type { Issue } from '../../core/attempt.ts';
import { UsageError } from '../../core/errors.ts';
import type { Check, Evaluator } from '../check.ts';
import { checkByName } from '../checks.ts';
import { noAnswer } from './tests-pass.ts';

/**
 * Passes when no check finds an issue. The score is the share of checks that found none. Throws `UsageError` for an unknown name
 * and without a check.
 */
export function checksPass(checks: readonly (string | Check)[]): Evaluator {
  if (checks.length === 0) throw new UsageError('checksPass: name at least one check; passing none is no pass');
  const known = checks.map((check) => (typeof check === 'string' ? checkByName(check) : check));
  return {
    name: 'checks',
    knows: 'rules',
    evaluate: async (attempt, task, context) => {
      if (attempt.answer === undefined) return noAnswer;
      const issues: { check: string; issue: Issue }[] = [];
      let passed = 0;
      for (const check of known) {
        const found = await check.run(attempt, task, context);
        if (found.length === 0) passed++;
        issues.push(...found.map((issue) => ({ check: check.name, issue })));
      }
      const score = passed / known.length;
      if (issues.length === 0) return { pass: true, score, feedback: `${known.length} checks found nothing wrong` };
      const lines = issues.map(({ check, issue }) => `- ${check}: ${issue.detail} Do: ${issue.requiredAction}`);
      return { pass: false, score, feedback: [`${issues.length} issues`, ...lines].join('\n') };
    },
  };
}
