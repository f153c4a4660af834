/** Options and arguments that several commands take. */
import type { OptionSpec } from '../command-spec.ts';

export const modelOption: OptionSpec = {
  flags: '--model <id>',
  description: 'such as openai:gpt-5-mini, ollama:qwen3:4b or exec:COMMAND',
};

export const stepsOption: OptionSpec = {
  flags: '--max-steps <n>',
  description: 'turns of the loop at most (12)',
  kind: 'integer',
};

export const limitOptions: readonly OptionSpec[] = [
  stepsOption,
  { flags: '--budget-usd <n>', description: 'US dollars at most', kind: 'number' },
  { flags: '--budget-tokens <n>', description: 'tokens at most (200000)', kind: 'integer' },
  { flags: '--budget-calls <n>', description: 'model calls and tool calls, each at most', kind: 'integer' },
  { flags: '--timeout <seconds>', description: 'active time at most (300)', kind: 'number' },
];

/** What makes an agent. */
export const agentOptions: readonly OptionSpec[] = [
  modelOption,
  {
    flags: '--fallback <id>',
    description: 'asked when the model before cannot serve; repeatable, in order',
    kind: 'list',
  },
  { flags: '--only-local', description: 'ask no model that is not on this machine (ASSAY_ONLY_LOCAL=1)' },
  { flags: '--docs <dir>', description: 'a folder of documents to search and read' },
  { flags: '--config <file>', description: 'an agent of your own (assay.config.ts when it is there)' },
  { flags: '--solver <name>', description: 'how an attempt is made', choices: ['react', 'direct'] },
  { flags: '--layers <list>', description: 'of lessons, verify, plan, plan-each-step; or none' },
  {
    flags: '--small-model <mode>',
    description: 'short prompts, one call at a time (auto: by the size of the model)',
    choices: ['auto', 'on', 'off'],
  },
];

export const allowOption: OptionSpec = {
  flags: '--yes <effect>',
  description: 'allow calls up to this effect without asking',
  choices: ['read', 'write', 'all'],
};

export const runIdOption: OptionSpec = { flags: '--run-id <id>', description: 'a name of your own for the run' };

export const runArgument: { name: string; description: string } = {
  name: '<run>',
  description: 'its id, the start of it, or last',
};

export const decisionOptions: readonly OptionSpec[] = [
  { flags: '--all', description: 'every waiting call' },
  { flags: '--no-resume', description: 'only record the decision' },
];
export const decisionArguments: readonly { name: string; description: string }[] = [
  runArgument,
  { name: '[call]', description: 'number or id of the call, when several wait' },
];

export const engineAddress: OptionSpec = {
  flags: '--at <url>',
  description: 'with --engine restate: where it is (http://127.0.0.1:8080)',
};
