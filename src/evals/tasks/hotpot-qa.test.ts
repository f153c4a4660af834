import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { offlineContext } from '../../checks/offline.ts';
import { direct } from '../../solver/direct.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { gradeAll } from '../grader.ts';
import { defineSuite, type Suite } from '../suite.ts';
import { hotpotQa, hotpotQaQuestions } from './hotpot-qa.ts';

let folder: string;
let file: string;

const context = [
  { title: 'Hats', sentences: ['A hat is worn.'], supporting: [] },
  { title: 'Velm', sentences: ['The Velm ends in Lake Ona.', ' It is long.'], supporting: [0] },
  { title: 'Lake Ona', sentences: ['Lake Ona is deep.', ' It is in Torland.'], supporting: [1] },
];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-hotpot-'));
  file = join(folder, 'rows.jsonl');
  writeFileSync(
    file,
    JSON.stringify({ id: 'q', task: 'In which country does the Velm end?', expected: 'Torland', context }),
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

const solvers = { direct: { model: 'script:none', solver: direct() } };
const velm = 'Velm\nThe Velm ends in Lake Ona. It is long.';
const lake = 'Lake Ona\nLake Ona is deep. It is in Torland.';

test('which sentences are needed is nowhere that an agent looks', async () => {
  const { tasks } = hotpotQa(file);
  const [task] = await tasks();
  expect(task?.context).toEqual(context.map(({ title, sentences }) => ({ title, sentences })));
});

test('a solver without tools reads all paragraphs in its prompt', async () => {
  const { tasks, contextText } = hotpotQa(file);
  const [task] = await tasks();
  expect(contextText?.(task!.context!, task!)).toBe(`Hats\nA hat is worn.\n\n${velm}\n\n${lake}`);
});

test('a solver with tools searches the paragraphs of its own task', async () => {
  const { tasks, environment } = hotpotQa(file);
  const [task] = await tasks();
  const [tool] = [(await environment?.(task!))?.tools ?? []].flat(2);
  const call = { idempotencyKey: 'k', attempt: 1, signal: new AbortController().signal };
  expect(await tool?.run({ query: 'Velm river', limit: 1 }, call)).toBe(velm);
});

async function passes(suite: Suite, read: string[]): Promise<boolean> {
  const [task] = await suite.tasks();
  const observations = read.map((content, index) => ({
    id: `obs-${index + 1}` as const,
    path: '',
    tool: 'searchParagraphs',
    args: {},
    status: 'ok' as const,
    content,
    trust: 'untrusted' as const,
  }));
  const attempt = attemptWith({ answer: 'Torland', observations });
  return (await gradeAll(suite.graders(task!), { task: task!, answer: 'Torland', attempt }, offlineContext())).pass;
}

test('an answer that was known and not found counts unless evidence is graded', async () => {
  const plain = defineSuite({ ...hotpotQa(file), solvers });
  const strict = defineSuite({ ...hotpotQa(file, { gradeEvidence: true }), solvers });
  expect(await passes(plain, [])).toBe(true);
  expect(await passes(strict, [])).toBe(false);
  expect(await passes(strict, [velm])).toBe(false);
  expect(await passes(strict, [velm, lake])).toBe(true);
});

test('the questions alone come without paragraphs and without tools', async () => {
  const questions = hotpotQaQuestions(file);
  expect(questions.environment).toBeUndefined();
  expect(await questions.tasks()).toMatchObject([{ id: 'q', expected: 'Torland' }]);
  expect((await questions.tasks())[0]).not.toHaveProperty('context');
});
