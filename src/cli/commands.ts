/** The commands by name: what they take, and how they are loaded. Nothing here imports what a command needs. */
import type { CommandSpec } from './command-spec.ts';
import { lookCommands } from './command-table/look.ts';
import { measureCommands } from './command-table/measure.ts';
import { serveCommands } from './command-table/serve.ts';
import { setUpCommands } from './command-table/set-up.ts';
import { workCommands } from './command-table/work.ts';

export const commands: readonly CommandSpec[] = [
  ...workCommands,
  ...lookCommands,
  ...measureCommands,
  ...serveCommands,
  ...setUpCommands,
];
