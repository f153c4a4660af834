import type { CommandSpec } from '../command-spec.ts';
import { engineAddress, runArgument } from './shared-options.ts';

export const lookCommands: readonly CommandSpec[] = [
  {
    name: 'runs',
    group: 'Look',
    description: 'list the runs, newest first',
    options: [
      engineAddress,
      { flags: '--limit <n>', description: 'at most so many (20)', kind: 'integer' },
      { flags: '--state <state>', description: 'only these, such as completed, stopped or awaiting_approval' },
    ],
    load: async () => (await import('../commands/runs.ts')).command,
  },
  {
    name: 'show',
    group: 'Look',
    description: 'one run: task, plan, answer, evidence, checks, journal',
    args: [runArgument],
    options: [
      engineAddress,
      { flags: '--events', description: 'everything that happened, as a timeline' },
      { flags: '--answer', description: 'the answer alone' },
      { flags: '--web', description: 'in the browser, on this machine, until Ctrl-C' },
    ],
    load: async () => (await import('../commands/show.ts')).command,
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
    load: async () => (await import('../commands/lessons.ts')).command,
  },
];
