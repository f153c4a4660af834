/** The commands by name: what they take, and how they are loaded. Nothing here imports what a command needs. */
import { adviseQuestions } from './advise-questions.ts';
import type { Command } from './command.ts';

export interface OptionSpec {
  flags: string;
  description: string;
  /** `list` may be given several times. Default: the text, or a switch when the flags take no value. */
  kind?: 'integer' | 'number' | 'list';
  choices?: readonly string[];
}

export interface CommandSpec {
  name: string;
  group: 'Work' | 'Look' | 'Measure' | 'Set up';
  description: string;
  args?: readonly { name: string; description: string; choices?: readonly string[] }[];
  options?: readonly OptionSpec[];
  /** Said when there are too many words. */
  tooMany?: string;
  load(): Promise<Command>;
}

const modelOption: OptionSpec = {
  flags: '--model <id>',
  description: 'such as openai:gpt-5-mini, ollama:qwen3:4b or exec:COMMAND',
};

const limitOptions: readonly OptionSpec[] = [
  { flags: '--max-steps <n>', description: 'turns of the loop at most (12)', kind: 'integer' },
  { flags: '--budget-usd <n>', description: 'US dollars at most', kind: 'number' },
  { flags: '--budget-tokens <n>', description: 'tokens at most (200000)', kind: 'integer' },
  { flags: '--budget-calls <n>', description: 'model calls and tool calls, each at most', kind: 'integer' },
  { flags: '--timeout <seconds>', description: 'active time at most (300)', kind: 'number' },
];

const run = { name: '<run>', description: 'its id, the start of it, or last' };

const decisionOptions: readonly OptionSpec[] = [
  { flags: '--all', description: 'every waiting call' },
  { flags: '--no-resume', description: 'only record the decision' },
];
const decisionArgs = [run, { name: '[call]', description: 'number or id of the call, when several wait' }];

export const commands: readonly CommandSpec[] = [
  {
    name: 'run',
    group: 'Work',
    description: 'plan, act, check, repair, and answer with evidence',
    args: [{ name: '<task>', description: 'what to do, in quotes; - reads it from standard input' }],
    tooMany: 'Put the task in quotes.',
    options: [
      modelOption,
      { flags: '--docs <dir>', description: 'a folder of documents to search and read' },
      { flags: '--config <file>', description: 'an agent of your own (assay.config.ts when it is there)' },
      { flags: '--solver <name>', description: 'how an attempt is made', choices: ['react', 'direct'] },
      { flags: '--layers <list>', description: 'of lessons, verify, plan, plan-each-step; or none' },
      { flags: '--constraint <text>', description: 'a condition the answer must meet; repeatable', kind: 'list' },
      ...limitOptions,
      {
        flags: '--yes <effect>',
        description: 'allow calls up to this effect without asking',
        choices: ['read', 'write', 'all'],
      },
      { flags: '--record <file>', description: 'keep every model call for --model replay:FILE' },
      { flags: '--events <file>', description: 'append every event as a line of JSON' },
      { flags: '--run-id <id>', description: 'a name of your own for the run' },
    ],
    load: async () => (await import('./commands/run.ts')).command,
  },
  {
    name: 'demo',
    group: 'Work',
    description: 'see all of it on a bundled sample; needs no key',
    options: [
      { flags: '--lang <language>', description: 'en (default), zh or both', choices: ['en', 'zh', 'both'] },
      modelOption,
      { flags: '--once', description: 'without the second run that recalls the lesson' },
    ],
    load: async () => (await import('./commands/demo.ts')).command,
  },
  {
    name: 'resume',
    group: 'Work',
    description: 'go on after a crash, an interrupt, a decision or a limit',
    args: [run],
    options: [modelOption, ...limitOptions],
    load: async () => (await import('./commands/resume.ts')).command,
  },
  {
    name: 'approve',
    group: 'Work',
    description: 'let a waiting call happen, and go on',
    args: decisionArgs,
    options: [{ flags: '--args <json>', description: 'run it with these arguments instead' }, ...decisionOptions],
    load: async () => (await import('./commands/decide.ts')).approve,
  },
  {
    name: 'deny',
    group: 'Work',
    description: 'refuse a waiting call, and go on',
    args: decisionArgs,
    options: [{ flags: '--reason <text>', description: 'what the model is told' }, ...decisionOptions],
    load: async () => (await import('./commands/decide.ts')).deny,
  },
  {
    name: 'runs',
    group: 'Look',
    description: 'list the runs, newest first',
    options: [
      { flags: '--limit <n>', description: 'at most so many (20)', kind: 'integer' },
      { flags: '--state <state>', description: 'only these, such as completed, stopped or awaiting_approval' },
    ],
    load: async () => (await import('./commands/runs.ts')).command,
  },
  {
    name: 'show',
    group: 'Look',
    description: 'one run: task, plan, answer, evidence, checks, journal',
    args: [run],
    options: [
      { flags: '--events', description: 'everything that happened, as a timeline' },
      { flags: '--answer', description: 'the answer alone' },
    ],
    load: async () => (await import('./commands/show.ts')).command,
  },
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
    load: async () => (await import('./commands/eval.ts')).command,
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
    load: async () => (await import('./commands/triage.ts')).command,
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
    load: async () => (await import('./commands/export.ts')).command,
  },
  {
    name: 'lessons',
    group: 'Look',
    description: 'what earlier runs taught',
    args: [
      {
        name: '[action]',
        description: 'list (default), show, edit, forget, expire, export or import',
        choices: ['list', 'show', 'edit', 'forget', 'expire', 'export', 'import'],
      },
      { name: '[target]', description: 'a lesson id or the start of it; for export and import a file' },
    ],
    options: [
      { flags: '--scope <name>', description: 'only this scope' },
      {
        flags: '--status <status>',
        description: 'only these',
        choices: ['active', 'expired', 'retired', 'quarantined', 'forgotten'],
      },
      { flags: '--all', description: 'also those that are not in use' },
      { flags: '--trigger <text>', description: 'for edit: the situation it is for' },
      { flags: '--failure <text>', description: 'for edit: what went wrong' },
      { flags: '--lesson <text>', description: 'for edit: what to do instead' },
      { flags: '--avoid <text>', description: 'for edit: what not to do' },
      { flags: '--days <n>', description: 'for edit: how long it stays in use', kind: 'number' },
    ],
    load: async () => (await import('./commands/lessons.ts')).command,
  },
  {
    name: 'tools',
    group: 'Set up',
    description: 'what a run may do, and what the policy says of it',
    args: [
      {
        name: '[action]',
        description: 'list (default), show, or accept what an MCP server changed',
        choices: ['list', 'show', 'accept'],
      },
      { name: '[target]', description: 'a tool, or the name of an MCP server' },
      { name: '[tool]', description: 'for accept: only this tool of the server' },
    ],
    options: [
      { flags: '--config <file>', description: 'an agent of your own (assay.config.ts when it is there)' },
      { flags: '--docs <dir>', description: 'a folder of documents to search and read' },
    ],
    load: async () => (await import('./commands/tools.ts')).command,
  },
  {
    name: 'models',
    group: 'Set up',
    description: 'what model would be used, and why',
    load: async () => (await import('./commands/models.ts')).command,
  },
  {
    name: 'advise',
    group: 'Set up',
    description: 'whether several attempts at a kind of task are worth their cost',
    options: Object.entries(adviseQuestions).map(([name, { question, choices }]) => ({
      flags: `--${name} <answer>`,
      description: question,
      choices,
    })),
    load: async () => (await import('./commands/advise.ts')).command,
  },
  {
    name: 'init',
    group: 'Set up',
    description: 'write an assay.config.ts to start from',
    options: [{ flags: '--force', description: 'write over the one that is there' }],
    load: async () => (await import('./commands/init.ts')).command,
  },
  {
    name: 'doctor',
    group: 'Set up',
    description: 'check the set-up, with remedies, and ask the six questions before going live',
    options: [{ flags: '--live', description: 'fail unless all six are answered well' }],
    load: async () => (await import('./commands/doctor.ts')).command,
  },
];
