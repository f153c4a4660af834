import { UsageError } from '../../core/errors.ts';
import type { Language } from '../../tools/builtin/run-code/sandbox.ts';
import type { Evaluation, Evaluator } from '../check.ts';
import { codeOf } from './code-of.ts';
import {
  type CodeTest,
  codeLimits,
  runTests,
  type SandboxOptions,
  type TestRun,
  testCode,
  testTitle,
} from './run-tests.ts';

export interface TestsPassOptions extends SandboxOptions {
  language: Language;
  /** At least one. A failed test given as a string is shown to the reflector as it is; of a named one only the name and the error. */
  tests: readonly CodeTest[];
}

/**
 * Passes when every test passes against the code of the answer, in the sandbox of `runCode` (Reflexion, section 4.3). The score is
 * the share of tests that passed. What the answer says about tests counts for nothing. Throws `UsageError` without a test.
 */
export function testsPass(options: TestsPassOptions): Evaluator {
  const { language, tests } = options;
  if (tests.length === 0) throw new UsageError('testsPass: no test was given, and passing no test is no pass');
  codeLimits(options);
  return {
    name: 'tests',
    knows: 'tests',
    evaluate: async (attempt, _task, context) => {
      if (attempt.answer === undefined) return noAnswer;
      const code = codeOf(attempt.answer, language);
      if (code.trim() === '') return { pass: false, score: 0, feedback: `the answer holds no ${language} code` };
      const run = await runTests(context, { language, code, tests: tests.map(testCode) }, options);
      return evaluationOf(run, tests);
    },
  };
}

/** The evaluation of an attempt that gave up. */
export const noAnswer: Evaluation = { pass: false, score: 0, feedback: 'there is no answer' };

const shownTests = 10;
const titleChars = 400;

/** The verdict with the tests that failed. */
export function evaluationOf({ outcomes, why }: TestRun, tests: readonly CodeTest[]): Evaluation {
  if (why !== undefined) return { pass: false, score: 0, feedback: `no test ran: ${why}` };
  const passed = outcomes.filter(({ result }) => result === 'pass').length;
  const score = passed / tests.length;
  if (passed === tests.length) return { pass: true, score, feedback: `all ${passed} tests passed` };
  const failed = tests.flatMap((test, index) => {
    const outcome = outcomes[index];
    if (outcome?.result === 'pass') return [];
    const verb = outcome?.result === 'invalid' ? 'cannot be parsed' : 'failed';
    return [`- ${verb}: ${testTitle(test).slice(0, titleChars)} (${outcome?.message || 'no message'})`];
  });
  const more = failed.length > shownTests ? [`and ${failed.length - shownTests} more`] : [];
  return {
    pass: false,
    score,
    feedback: [`${failed.length} of ${tests.length} tests failed`, ...failed.slice(0, shownTests), ...more].join('\n'),
  };
}
