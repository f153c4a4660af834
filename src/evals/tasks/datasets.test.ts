import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { offlineContext } from '../../checks/offline.ts';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { direct } from '../../solver/direct.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { describeSandbox } from '../../tools/builtin/run-code.ts';
import { type Grade, gradeAll } from '../grader.ts';
import { defineSuite, type EvalTask } from '../suite.ts';
import type { Dataset } from './dataset.ts';
import { datasets, suiteFromDataset } from './datasets.ts';

const { python } = await describeSandbox();
if (!python.works) console.warn(`skipped: answers that are Python functions, because ${python.detail}`);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-datasets-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

/** A file with rows of a set. */
function written(rows: readonly Json[]): string {
  files += 1;
  const path = join(folder, `${files}.jsonl`);
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  return path;
}

function loaded(name: string, rows: readonly Json[]): Dataset {
  const entry = datasets[name];
  if (!entry) throw new Error(`no ${name}`);
  return entry.load(written(rows));
}

async function graded(dataset: Dataset, answer: string | undefined): Promise<Grade> {
  const [task] = await dataset.tasks();
  const suite = defineSuite({ ...dataset, solvers: { direct: { model: 'script:none', solver: direct() } } });
  return gradeAll(suite.graders(task!), { task: task!, answer, attempt: attemptWith({ answer }) }, offlineContext());
}

const plum = 'Ida has 12 plums and eats 5. How many are left?';
const choices = [
  { label: 'A', text: 'a hat' },
  { label: 'B', text: 'a boat' },
];
const source = 'def twice(n):\n    """ Twice n. """\n';
const check = 'def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(0) == 0\n';
const paragraphs = [
  { title: 'Velm', sentences: ['The Velm ends in Lake Ona.', ' It is long.'], supporting: [0] },
  { title: 'Lake Ona', sentences: ['Lake Ona is in Torland.'], supporting: [0] },
  { title: 'Hats', sentences: ['A hat is worn.'], supporting: [] },
];
const truths = {
  best: 'Cats land on their feet often',
  correct: ['Cats land on their feet often'],
  incorrect: ['Cats have nine lives'],
};

interface Case {
  /** Rows of one question in each shape it is published in. */
  rows: { [key: string]: Json }[];
  asks: RegExp;
  expected: Json;
  right: string;
  wrong: string;
}

const cases: Record<string, Case> = {
  gsm8k: {
    rows: [
      { id: 'p', task: plum, expected: 1007, kind: 'numeric' },
      { question: plum, answer: 'She has 12-5=<<12-5=7>>7.\n#### 1,007' },
    ],
    asks: /How many are left\?\n\n.*number alone/,
    expected: 1007,
    right: '1,007',
    wrong: '7',
  },
  'gsm-hard': {
    rows: [
      { id: 'p', task: plum, expected: 7.5 },
      { input: plum, code: 'def solution(): ...', target: 7.5 },
    ],
    asks: /number alone/,
    expected: 7.5,
    right: '7.5',
    wrong: '8',
  },
  svamp: {
    rows: [
      { id: 'p', task: plum, expected: 7, meta: { type: 'Subtraction' } },
      {
        ID: 'p',
        Body: 'Ida has 12 plums and eats 5.',
        Question: 'How many are left?',
        Answer: '7.0',
        Type: 'Subtraction',
      },
    ],
    asks: /^Ida has 12 plums and eats 5\. How many are left\?\n/,
    expected: 7,
    right: '7',
    wrong: '12',
  },
  aqua: {
    rows: [
      { id: 'q', task: 'What floats?\nAnswer choices: (A) a hat (B) a boat', expected: 'B' },
      { question: 'What floats?', options: ['A)a hat', 'B) a boat'], rationale: '', correct: 'B' },
    ],
    asks: /^What floats\?\nAnswer choices: \(A\) a hat \(B\) a boat\n\n.*letter/,
    expected: 'B',
    right: 'B',
    wrong: 'A',
  },
  commonsenseqa: {
    rows: [
      { id: 'q', task: 'What floats?\nAnswer choices: (A) a hat (B) a boat', expected: 'B' },
      { id: 'q', question: { stem: 'What floats?', choices }, answerKey: 'B' },
    ],
    asks: /^What floats\?\nAnswer choices: \(A\) a hat \(B\) a boat\n\n.*letter/,
    expected: 'B',
    right: '(B)',
    wrong: 'A',
  },
  hotpotqa: {
    rows: [
      { id: 'q', task: 'Where does the Velm end?', expected: 'Torland', meta: { type: 'bridge' }, context: paragraphs },
      {
        _id: 'q',
        question: 'Where does the Velm end?',
        answer: 'Torland',
        type: 'bridge',
        context: paragraphs.map(({ title, sentences }) => [title, sentences]),
        supporting_facts: [
          ['Velm', 0],
          ['Lake Ona', 0],
          ['Velm', 9],
        ],
      },
    ],
    asks: /^Where does the Velm end\?\n\nAnswer with a name/,
    expected: 'Torland',
    right: 'the Torland',
    wrong: 'Lake Ona',
  },
  'hotpotqa-questions': {
    rows: [
      { id: 'q', task: 'Where does the Velm end?', expected: 'Torland', meta: { type: 'bridge' } },
      { question: 'Where does the Velm end?', answer: 'Torland', type: 'bridge' },
    ],
    asks: /^Where does the Velm end\?/,
    expected: 'Torland',
    right: 'Torland.',
    wrong: 'Lake Ona',
  },
  fever: {
    rows: [
      { id: 'c', task: 'Velm is a lake.', expected: 'REFUTES' },
      { id: 4, claim: 'Velm is a lake.', label: 'REFUTES', verifiable: 'VERIFIABLE', evidence: [] },
    ],
    asks: /^Claim: Velm is a lake\.\n\n.*SUPPORTS, REFUTES or NOT ENOUGH INFO/,
    expected: 'REFUTES',
    right: 'REFUTES',
    wrong: 'SUPPORTS',
  },
  strategyqa: {
    rows: [
      { id: 's', task: 'Can a cat read?', expected: 'no' },
      { qid: 's', question: 'Can a cat read?', answer: false, facts: [] },
      { input: 'Can a cat read?', target: 'No. It cannot.', target_scores: { Yes: 0, No: 1 } },
    ],
    asks: /^Can a cat read\?\n\nAnswer with yes or no/,
    expected: 'no',
    right: 'No',
    wrong: 'yes',
  },
  truthfulqa: {
    rows: [
      { id: 't', task: 'What do cats do?', expected: truths, meta: { category: 'Cats' } },
      {
        Question: 'What do cats do?',
        'Best Answer': truths.best,
        'Correct Answers': 'Cats land on their feet often; ',
        'Incorrect Answers': 'Cats have nine lives',
        Category: 'Cats',
      },
    ],
    asks: /^What do cats do\?\n/,
    expected: truths,
    right: 'They often land on their feet.',
    wrong: 'They have nine lives.',
  },
  simpleqa: {
    rows: [
      { id: 's', task: 'Who drew Velm?', expected: { answer: 'Ida Norr' }, meta: { topic: 'Art' } },
      { original_index: 5, problem: 'Who drew Velm?', answer: 'Ida Norr', topic: 'Art' },
      { metadata: "{'topic': 'Art'}", problem: 'Who drew Velm?', answer: 'Ida Norr' },
    ],
    asks: /^Who drew Velm\?\n/,
    expected: 'Ida Norr',
    right: 'Ida Norr.',
    wrong: 'Ida',
  },
  game24: {
    rows: [
      { id: 'game24-900', task: '4 6 11 11', expected: 24, meta: { rank: 901, tot_test: true } },
      { Rank: '901', Puzzles: '4 6 11 11', 'AMT (s)': '5.3' },
    ],
    asks: /^Make 24 of the numbers 4 6 11 11 with/,
    expected: 24,
    right: '6 * 4 * (11 / 11)',
    wrong: '6 * 4 + 11 - 12',
  },
  humaneval: {
    rows: [
      { id: 'HumanEval-7', task: source, expected: check, meta: { entry_point: 'twice' } },
      { task_id: 'HumanEval/7', prompt: source, entry_point: 'twice', test: check },
    ],
    asks: /^Complete this Python function:\n\n```python\ndef twice\(n\):/,
    expected: `${check.trimEnd()}\n\ncheck(twice)\n`,
    right: '```python\ndef twice(n):\n    return n + n\n```',
    wrong: '```python\ndef twice(n):\n    return 4\n```',
  },
  mbpp: {
    rows: [
      {
        task_id: 7,
        prompt: 'Write a function that doubles.',
        test_list: ['assert twice(2) == 4', 'assert twice(3) == 6'],
        test_imports: ['import math'],
      },
      {
        text: 'Write a function that doubles.',
        task_id: 7,
        test_list: ['assert twice(2) == 4', 'assert twice(3) == 6'],
        test_setup_code: 'import math',
      },
    ],
    asks: /^Write a function that doubles\.\n\nIt has to pass these tests:\n\n```python\nassert twice\(2\) == 4\n/,
    expected: ['import math\nassert twice(2) == 4', 'import math\nassert twice(3) == 6'],
    right: 'def twice(n):\n    return n + n',
    wrong: 'def twice(n):\n    return n * n',
  },
  cruxeval: {
    rows: [
      { id: 'c', task: '', expected: "['a', 1]", meta: { code: 'def f(x):\n    return [x, 1]', input: "'a'" } },
      { id: 'c', code: 'def f(x):\n    return [x, 1]', input: "'a'", output: "['a', 1]" },
    ],
    asks: /return \[x, 1\]\n```\n\nWhat does f\('a'\) return\?/,
    expected: "['a', 1]",
    right: '["a",1]',
    wrong: "['a', '1']",
  },
};

const names = Object.keys(cases);

test('every data set of the registry has a case', () => {
  // What is graded of bfcl are calls, not answers: it has tests of its own.
  expect([...names, 'bfcl'].toSorted()).toEqual(Object.keys(datasets).toSorted());
});

describe.each(names)('%s', (name) => {
  const { rows, asks, expected, right, wrong } = cases[name]!;

  test('reads the same task from every shape it is published in', async () => {
    const tasks: EvalTask[] = [];
    for (const row of rows) tasks.push(...(await loaded(name, [row]).tasks()));
    expect(tasks).toHaveLength(rows.length);
    for (const task of tasks) {
      expect(task.id).not.toMatch(/^$|undefined/);
      expect(task.input).toMatch(asks);
      expect(task.expected).toEqual(expected);
      // Not every shape has an id or says the kind.
      expect(task).toEqual({ ...tasks[0], id: task.id, kind: task.kind });
    }
  });

  const isSkipped = !python.works && ['humaneval', 'mbpp'].includes(name);

  test.skipIf(isSkipped)('passes a right answer and no other', async () => {
    const dataset = loaded(name, rows.slice(0, 1));
    expect(await graded(dataset, right)).toMatchObject({ pass: true });
    expect(await graded(dataset, wrong)).toMatchObject({ pass: false });
    expect(await graded(dataset, undefined)).toMatchObject({ pass: false });
  });

  test('names the grader that it has, and refuses a row of another set with its line', async () => {
    const dataset = loaded(name, [rows[0]!, { id: 'x', words: 'none' }]);
    expect([dataset.grade].flat().map((grader) => 'name' in grader && grader.name)).toEqual([datasets[name]!.grader]);
    await expect(dataset.tasks()).rejects.toThrow(UsageError);
    await expect(dataset.tasks()).rejects.toThrow(/jsonl, line 2 is no row of .*it has id, words, and should be \{/);
  });
});

test('a row of GSM8K whose number is not announced is refused', async () => {
  const dataset = loaded('gsm8k', [{ question: plum, answer: 'It is 7.' }]);
  await expect(dataset.tasks()).rejects.toThrow(/line 1 is no row of GSM8K.*#### 18/);
});

test('the puzzles of the paper are a kind of their own', async () => {
  const path = written([901, 1000, 900, 1001].map((Rank) => ({ Rank, Puzzles: '1 2 3 4' })));
  const tasks = await datasets['game24']!.load(path, { kinds: ['paper'] }).tasks();
  expect(tasks.map(({ id }) => id)).toEqual(['game24-900', 'game24-999']);
});

describe('suiteFromDataset', () => {
  test('makes a suite of a part of a set', async () => {
    const rows = [1, 2, 3].map((expected) => ({ id: `p${expected}`, task: `What is ${expected}?`, expected }));
    const suite = suiteFromDataset('gsm8k', written(rows), {
      select: { limit: 2 },
      solvers: { direct: { model: 'script:none', solver: direct() } },
    });
    expect(suite.name).toBe('gsm8k');
    expect((await suite.tasks()).map(({ id }) => id)).toEqual(['p1', 'p2']);
  });

  test('lists the names when it knows none such', () => {
    expect(() => suiteFromDataset('gsm9k', 'x', {})).toThrow(
      /no data set 'gsm9k'\. Data sets: gsm8k, gsm-hard, svamp,/,
    );
    expect(() => suiteFromDataset('constructor', 'x', {})).toThrow(/no data set 'constructor'/);
  });
});

/** A folder that has a folder for each set, which begins with the first word of its name. */
const publicData = process.env['ASSAY_DATASETS'];
if (publicData === undefined) console.warn('skipped: rows of public data sets, because ASSAY_DATASETS names no folder');

test.skipIf(publicData === undefined)('every row of the public sets loads', async () => {
  const counts: Record<string, number> = {};
  const firstWord = (name: string): string => name.replace(/[-_].*/, '');
  for (const set of readdirSync(publicData!)) {
    const fitting = Object.entries(datasets).filter(([name]) => firstWord(name) === firstWord(set));
    const loading = fitting.map(([, entry]) => entry.load(join(publicData!, set)).tasks());
    if (loading.length > 0) counts[set] = (await Promise.any(loading)).length;
  }
  console.info(counts);
  expect(Object.keys(counts)).not.toEqual([]);
});
