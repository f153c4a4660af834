/** `node eval-worker.ts FOLDER CALLS`: evaluates a suite, and appends a line to CALLS for each reply that a model is paid for. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import type { Grader } from '../../src/evals/grader.ts';
import { evaluate } from '../../src/evals/runner/evaluate.ts';
import { defineSuite } from '../../src/evals/suite.ts';
import { functionModel } from '../../src/model/providers/function-model.ts';
import { direct } from '../../src/solver/direct.ts';
import { react } from '../../src/solver/react/react.ts';
import { tool } from '../../src/tools/tool.ts';

const [folder = '', calls = ''] = process.argv.slice(2);

const word = (text: string): string => /spell (\w+)/.exec(text)?.[1] ?? '';

const spells: Grader = {
  name: 'spells',
  knows: 'reference',
  config: {},
  reads: 'answer',
  grade: ({ answer, task }) => ({ pass: answer === task.expected, score: 1, why: String(answer) }),
};

/** Looks a word up first where there is a tool for it; a few milliseconds each, so that a kill finds runs under way. */
const model = functionModel(async (system, user) => {
  await new Promise((resolve) => setTimeout(resolve, 4));
  const spelled = word(user);
  const hasTool = `${system}${user}`.includes('Looks a word up');
  const looksUp = hasTool && !user.includes('the word is');
  appendFileSync(calls, `${spelled} ${hasTool ? 'react' : 'direct'} ${looksUp ? 'looks' : 'answers'}\n`);
  return looksUp
    ? JSON.stringify({ type: 'tool', tool: 'look', args: { word: spelled }, reason: 'to see it' })
    : JSON.stringify({ type: 'final', answer: spelled.split('').join('-'), claims: [] });
});

const look = tool({
  ...{ name: 'look', description: 'Looks a word up.', effect: 'read' as const },
  input: z.object({ word: z.string() }),
  run: ({ word: text }) => `the word is ${text}`,
});

const words = Array.from({ length: 40 }, (_, index) => `word${String.fromCharCode(97 + (index % 26))}${index}`);
const suite = defineSuite({
  name: 'spelling',
  tasks: words.map((text) => ({ id: text, input: `spell ${text}`, expected: text.split('').join('-') })),
  grade: spells,
  solvers: {
    direct: { model, solver: direct() },
    react: { model, tools: [look], solver: react() },
  },
  concurrency: 4,
});

const { records, header } = await evaluate(suite, { folder });
const right = records.filter(({ outcome }) => outcome === 'success').length;
console.log(JSON.stringify({ records: records.length, right, id: header.id }));
