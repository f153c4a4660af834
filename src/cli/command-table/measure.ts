import type { CommandSpec } from '../command-spec.ts';
import { modelOption } from './shared-options.ts';

export const measureCommands: readonly CommandSpec[] = [
  {
    name: 'eval',
    group: 'Measure',
    description: 'whole tasks against a direct baseline, in numbers',
    args: [
      {
        name: '[suite]',
        description: 'a folder with suite.ts, a data set such as gsm8k:FILE, a file of tasks, or last to report again',
      },
    ],
    options: [
      { flags: '--ablate', description: 'add each mechanism in turn to the direct answer, and leave each out' },
      { flags: '--repeat <n>', description: 'times each task is done (1)', kind: 'integer' },
      { flags: '--concurrency <n>', description: 'runs at once (8, or what the suite says)', kind: 'integer' },
      { flags: '--report <file>', description: 'write a report: .html or .md; repeatable', kind: 'list' },
      { flags: '--junit <file>', description: 'write the results for a CI server' },
      { flags: '--write-config <file>', description: 'with --ablate: write the recommended configuration' },
      {
        flags: '--compare <evaluation>',
        description: 'what changed since that evaluation; exits with 1 if it got worse',
      },
      { flags: '--fail-under <share>', description: 'exit with 1 below this success rate, 0.8 or 80', kind: 'number' },
      { flags: '--solvers <list>', description: 'only these configurations' },
      { flags: '--kind <kind>', description: 'only tasks of this kind' },
      { flags: '--limit <n>', description: 'only the first tasks', kind: 'integer' },
      modelOption,
      {
        flags: '--config <file>',
        description: 'for a data set: the agent to evaluate (assay.config.ts when it is there)',
      },
      {
        flags: '--grader <name>',
        description: 'for a file of tasks (exact)',
        choices: ['exact', 'numeric', 'choice', 'set', 'json', 'f1'],
      },
      { flags: '--budget-usd <n>', description: 'US dollars for the whole evaluation', kind: 'number' },
      { flags: '--budget-tokens <n>', description: 'tokens for the whole evaluation', kind: 'integer' },
      { flags: '--fresh', description: 'begin anew where an interrupted evaluation would go on' },
      { flags: '--retry', description: 'go on with the last evaluation and do again what broke' },
      { flags: '--no-cache', description: 'buy every reply again' },
    ],
    load: async () => (await import('../commands/eval.ts')).command,
  },
  {
    name: 'triage',
    group: 'Measure',
    description: 'where failures come from, and the mechanism to add',
    args: [{ name: '[result]', description: 'an evaluation: its folder, suite/id, a suite, or last' }],
    options: [
      { flags: '--file <file>', description: 'pasted failures instead, one JSON object a line' },
      { flags: '--configuration <name>', description: 'only failures of this one (default: the one under test)' },
      { flags: '--all', description: 'failures of every configuration' },
      { ...modelOption, description: 'asked about failures that no rule explains' },
    ],
    load: async () => (await import('../commands/triage.ts')).command,
  },
  {
    name: 'export',
    group: 'Measure',
    description: 'training data from runs whose outcome was checked from outside',
    args: [
      { name: '<format>', description: 'coh, sft or dpo', choices: ['coh', 'sft', 'dpo'] },
      { name: '[result]', description: 'an evaluation: its folder, suite/id, a suite or last (default); or runs' },
    ],
    options: [
      { flags: '--out <folder>', description: 'gets train.jsonl, validation.jsonl and data-card.md (training-data)' },
      {
        flags: '--shape <shape>',
        description: 'sft: openai, trl, trl-completion; dpo: trl, trl-text, openai',
        choices: ['openai', 'trl', 'trl-completion', 'trl-text'],
      },
      { flags: '--suite <suite>', description: 'the suite of the evaluation, so that sft gets whole conversations' },
      {
        flags: '--order <order>',
        description: 'coh: how answers follow each other',
        choices: ['worst-first', 'best-first', 'random'],
      },
      { flags: '--validation <share>', description: 'share of tasks in a file of their own (0)', kind: 'number' },
      { flags: '--allow-model-judged', description: 'also what a model judged; marked' },
      { flags: '--include-simulated', description: 'also runs of simulated models; marked' },
      {
        flags: '--allow-test-sets',
        description: 'also tasks of public test sets, which measure nothing any more then',
      },
    ],
    load: async () => (await import('../commands/export.ts')).command,
  },
];
