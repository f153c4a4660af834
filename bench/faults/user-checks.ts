import type { Check } from '../../src/checks/check.ts';
import { check } from '../../src/checks/checks.ts';
import { code } from '../../src/checks/code.ts';
import { format } from '../../src/checks/format.ts';
import { type CodeTests, conditionFormat, type GeneratedTask } from '../../src/testing/faulty-model.ts';

/** The conditions of the tasks as their user would have them checked. */
export function conditionsOf(tasks: readonly GeneratedTask[]): Check {
  const checks = new Map(
    tasks.map(({ task, rules }) => [task.input, rules.map((rule) => format(conditionFormat(rule)))]),
  );
  return check('conditions', async (attempt, task, context) => {
    const issues = (checks.get(task.input) ?? []).map((one) => one.run(attempt, task, context));
    return (await Promise.all(issues)).flat();
  });
}

/** The examples of the code tasks as their user would have them run on the code of the answer. */
export function testsOf(tasks: readonly GeneratedTask[]): Check {
  const checks = new Map(
    tasks.flatMap(({ task, tests }) =>
      tests ? [[task.input, code({ language: 'javascript', tests: written(tests) })] as const] : [],
    ),
  );
  return check('tests', (attempt, task, context) => checks.get(task.input)?.run(attempt, task, context) ?? []);
}

function written({ name, examples }: CodeTests): { name: string; code: string }[] {
  return examples.map(({ args, result }) => {
    const given = args.map((argument) => JSON.stringify(argument)).join(', ');
    const call = `${name}(${given})`;
    return { name: call, code: `assertEqual(${call}, ${JSON.stringify(result)})` };
  });
}
