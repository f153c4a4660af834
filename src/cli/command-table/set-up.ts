import { adviseQuestions } from '../advise-questions.ts';
import type { CommandSpec } from '../command-spec.ts';

export const setUpCommands: readonly CommandSpec[] = [
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
    load: async () => (await import('../commands/tools.ts')).command,
  },
  {
    name: 'models',
    group: 'Set up',
    description: 'what model would be used, and why; fetch one that needs no key',
    args: [
      {
        name: '[action]',
        description: 'list (default), pull a model file, or remove one',
        choices: ['list', 'pull', 'remove'],
      },
      { name: '[name]', description: 'a local model of the list' },
    ],
    options: [
      { flags: '--file <path>', description: 'pull: import a file that was got by other means' },
      {
        flags: '--from <source>',
        description: 'pull: huggingface (default, HF_ENDPOINT), hf-mirror, modelscope, or an address',
      },
      { flags: '--yes', description: 'pull: also a model that is too large for the memory of this machine' },
    ],
    load: async () => (await import('../commands/models.ts')).command,
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
    load: async () => (await import('../commands/advise.ts')).command,
  },
  {
    name: 'init',
    group: 'Set up',
    description: 'write an assay.config.ts to start from',
    options: [{ flags: '--force', description: 'write over the one that is there' }],
    load: async () => (await import('../commands/init.ts')).command,
  },
  {
    name: 'doctor',
    group: 'Set up',
    description: 'check the set-up, with remedies, and ask the six questions before going live',
    options: [{ flags: '--live', description: 'fail unless all six are answered well' }],
    load: async () => (await import('../commands/doctor.ts')).command,
  },
];
