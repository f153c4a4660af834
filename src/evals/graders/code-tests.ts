import {
  type CodeTest,
  codeLimits,
  runTests,
  type SandboxOptions,
  testCode,
} from '../../checks/evaluators/run-tests.ts';
import { evaluationOf } from '../../checks/evaluators/tests-pass.ts';
import type { Language } from '../../tools/builtin/run-code/sandbox.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { functionMark, misfit } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';
import { codeOfTask, entryPointOf, programOf } from './program-of.ts';

export interface CodeTestsOptions extends SandboxOptions {
  language: Language;
  /**
   * The tests of a task. Default: its `expected`, one test as a text or a list of such. A text that defines `check(candidate)` is called
   * with the last function that the task's own code declares (HumanEval, Chen et al. 2021; MBPP, Austin et al. 2021).
   */
  tests?: (task: EvalTask) => readonly CodeTest[];
  /** The program to test. Default: the fenced block or the whole answer, after the task's own code where there is any. */
  extract?: (answer: string, task: EvalTask) => string | undefined;
}

/** A longer text is no program that somebody wrote. */
const longest = 200_000;

/**
 * Passes when the answer's program passes every test, in the sandbox of `runCode`. The answer may be a fenced block, a whole module, or
 * a body that continues the task's code. The score is the share of tests that passed. Rejects where there is no sandbox for the
 * language.
 */
export function codeTests(options: CodeTestsOptions): Grader {
  const { language, tests, extract } = options;
  const limits = codeLimits(options);
  return {
    name: `codeTests:${language}`,
    knows: 'tests',
    reads: 'answer',
    config: {
      language,
      sandbox: options.sandbox ?? 'auto',
      limits: { timeoutMs: limits.timeoutMs, memoryMb: limits.memoryMb },
      tests: tests ? functionMark(tests) : 'expected',
      extract: extract ? functionMark(extract) : 'default',
    },
    async grade({ task, answer }, context) {
      const wanted = tests?.(task) ?? expectedTests(task, language);
      if (wanted.length === 0) throw misfit(task, 'codeTests', 'at least one test');
      if (isBlank(answer)) return unanswered(`${language} code`);
      const code = extract ? extract(answer, task) : programOf(answer, task, language);
      if (code === undefined || code.length > longest)
        return gradeOf(false, `no ${language} program in ${shown(answer)}`);
      const run = await runTests(context, { language, code, tests: wanted.map(testCode) }, options);
      const { pass, score, feedback } = evaluationOf(run, wanted);
      return gradeOf(pass, feedback, score);
    },
  };
}

function expectedTests(task: EvalTask, language: Language): CodeTest[] {
  const { expected } = task;
  const listed = typeof expected === 'string' ? [expected] : Array.isArray(expected) ? expected : [];
  const isTexts = listed.every((test): test is string => typeof test === 'string' && test.trim() !== '');
  if (!isTexts || listed.length === 0) throw misfit(task, 'codeTests', 'the tests as a text, or as a list of texts');
  return listed.map((test) => (/^def check\(/m.test(test) && language === 'python' ? called(test, task) : test));
}

function called(test: string, task: EvalTask): CodeTest {
  if (/^check\(/m.test(test)) return { name: 'check', code: test };
  const entryPoint = entryPointOf(codeOfTask(task, 'python') ?? '', 'python');
  if (entryPoint === undefined)
    throw misfit(
      task,
      'codeTests',
      'an input that is Python code with the function to write, or a test that calls check itself',
    );
  return { name: 'check', code: `${test}\ncheck(${entryPoint})` };
}
