import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import type { Task } from '../../core/task.ts';
import { ask } from '../../model/ask.ts';
import type { Language } from '../../tools/builtin/run-code/sandbox.ts';
import type { Evaluator } from '../check.ts';
import type { EvaluatingRun, RunEvaluator } from '../evaluators.ts';
import { codeOf } from './code-of.ts';
import { testRules, testsPrompt } from './prompts.ts';
import { codeLimits, runTests, type SandboxOptions } from './run-tests.ts';
import { evaluationOf, noAnswer } from './tests-pass.ts';

export interface SelfWrittenTestsOptions extends SandboxOptions {
  language: Language;
  /** Default 6. */
  maxTests?: number;
}

const name = 'tests-written-by-the-actor';

/**
 * Tests that the actor writes from the task alone, before its first attempt (Reflexion, section 4.3). Kept are those that parse and
 * fail on an empty stub for another reason than an unknown name. They know what the actor understood, so a pass is weaker than one of
 * `testsPass`: the name and every feedback say who wrote them. With no test kept, attempts stay unjudged.
 */
export function selfWrittenTests(options: SelfWrittenTestsOptions): RunEvaluator {
  const { maxTests = 6 } = options;
  if (!(Number.isInteger(maxTests) && maxTests > 0))
    throw new UsageError(`selfWrittenTests: maxTests has to be a whole number of at least 1, not ${maxTests}`);
  codeLimits(options);
  return {
    name,
    knows: 'tests',
    prepare: async (task, run) => judgedBy(await writtenTests(task, run, { ...options, maxTests }), options),
    evaluate: () => {
      throw new UsageError('selfWrittenTests: the actor writes the tests in a run; use it in reflexion');
    },
  };
}

interface Written {
  tests: readonly string[];
  /** Why there are none. */
  why: string;
}

function judgedBy({ tests, why }: Written, options: SelfWrittenTestsOptions): Evaluator {
  const { language } = options;
  return {
    name,
    knows: 'tests',
    evaluate: async (attempt, _task, context) => {
      if (tests.length === 0) throw new Error(`no test written by the actor could be used: ${why}`);
      if (attempt.answer === undefined) return noAnswer;
      const run = await runTests(context, { language, code: codeOf(attempt.answer, language), tests }, options);
      const { feedback, ...evaluation } = evaluationOf(run, tests);
      return { ...evaluation, feedback: `tests written by the actor: ${feedback}` };
    },
  };
}

interface TestDraft {
  function: string;
  tests: string[];
}

async function writtenTests(
  task: Task,
  run: EvaluatingRun,
  options: SelfWrittenTestsOptions & { maxTests: number },
): Promise<Written> {
  const { language, maxTests } = options;
  const Draft: z.ZodType<TestDraft> = z.object({
    function: z.string().regex(/^[A-Za-z_$][\w$]*$/, 'the name of the function only'),
    tests: z.array(z.string().min(1).max(2_000)).min(1).max(maxTests),
  });
  const asked = await ask(run, {
    step: 'evaluate.write-tests',
    role: 'actor',
    system: testRules(language, maxTests),
    prompt: testsPrompt(task),
    schema: Draft,
  });
  if (!asked.ok) return { tests: [], why: asked.detail };
  const { tests } = asked.value;
  const stub = await runTests(run, { language, code: stubOf(asked.value.function, language), tests }, options);
  if (stub.why !== undefined) return { tests: [], why: `the stub could not be tested: ${stub.why}` };
  const kept = tests.filter((_, index) => {
    const outcome = stub.outcomes[index];
    return outcome?.result === 'fail' && !/^(?:NameError|ReferenceError|ModuleNotFoundError)\b/.test(outcome.message);
  });
  return { tests: kept, why: `none of ${tests.length} parsed and failed on an empty stub` };
}

function stubOf(called: string, language: Language): string {
  return language === 'python' ? `def ${called}(*args, **kwargs):\n    return None\n` : `function ${called}() {}\n`;
}
