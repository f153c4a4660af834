import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { offlineContext } from '../../checks/offline.ts';
import type { Json } from '../../core/json.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { describeSandbox } from '../../tools/builtin/run-code.ts';
import { gradeAll } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import type { Dataset } from './dataset.ts';
import { humanEval, mbpp } from './python-functions.ts';

const { python } = await describeSandbox();
if (!python.works) console.warn(`skipped: tests of Python functions, because ${python.detail}`);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-functions-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function load(set: (path: string) => Dataset, row: Json): Promise<{ dataset: Dataset; task: EvalTask }> {
  const path = join(folder, 'rows.jsonl');
  writeFileSync(path, JSON.stringify(row));
  const dataset = set(path);
  const [task] = await dataset.tasks();
  return { dataset, task: task! };
}

async function passes({ dataset, task }: Awaited<ReturnType<typeof load>>, answer: string): Promise<boolean> {
  const graders = typeof dataset.grade === 'function' ? dataset.grade(task) : dataset.grade;
  const attempt = attemptWith({ answer });
  return (await gradeAll([graders].flat(), { task, answer, attempt }, offlineContext())).pass;
}

const area = {
  task_id: 'HumanEval/7',
  prompt: 'import math\n\n\ndef area(radius):\n    """ The area of a circle. """\n',
  entry_point: 'area',
  test: 'def check(candidate):\n    assert abs(candidate(1) - 3.14159) < 0.001\n    assert candidate(0) == 0\n',
};

test('the hidden tests of HumanEval are not in the task, and those of MBPP are in both', async () => {
  const { task } = await load(humanEval, area);
  expect(task.id).toBe('HumanEval-7');
  expect(task.input).not.toMatch(/assert|3\.14/);
  const shown = await load(mbpp, { ...area, test: 'def check(candidate):\n    assert area(0) == 0\n' });
  expect(shown.task.input).toMatch(
    /The area of a circle.*It has to pass these tests:\n\n```python\nassert area\(0\) == 0\n```/s,
  );
});

describe.skipIf(!python.works)('an answer to HumanEval', () => {
  const answers: [kind: string, answer: string, right: boolean][] = [
    ['a body that goes on where the task ends', '    return math.pi * radius ** 2\n', true],
    ['a fenced body', 'Here:\n```python\n    return math.pi * radius ** 2\n```', true],
    [
      'a function that uses the imports of the task',
      '```python\ndef area(radius):\n    return math.pi * radius ** 2\n```',
      true,
    ],
    ['a whole module', 'from math import pi\ndef area(radius):\n    return pi * radius ** 2', true],
    ['a function that fails a test', 'def area(radius):\n    return 3.14159', false],
    ['words', 'I cannot do this.', false],
  ];

  test.each(answers)('%s', async (_, answer, right) => {
    expect(await passes(await load(humanEval, area), answer)).toBe(right);
  });
});

test.skipIf(!python.works)(
  'a check that calls another function than the entry point passes what it calls',
  async () => {
    const row = {
      id: 'm',
      task: "def helper(n):\n    '''\n    Write a function that halves.\n    '''\n",
      expected: 'def check(candidate):\n    assert halve(4) == 2\n',
      meta: { entry_point: 'helper ' },
    };
    const loaded = await load(mbpp, row);
    expect(await passes(loaded, 'def halve(n):\n    return n // 2')).toBe(true);
    expect(await passes(loaded, 'def halve(n):\n    return n')).toBe(false);
  },
);
