import type { ExitCode } from './exit-codes.ts';
import type { Home } from './home.ts';
import type { Screen } from './screen.ts';

/** What every command is given. */
export interface CommandContext {
  /** The words after the command's name, missing optional ones undefined. */
  args: readonly (string | undefined)[];
  /** Parsed by the option table, which gives each option its type. */
  options: Readonly<Record<string, unknown>>;
  home: Home;
  json: boolean;
  screen: Screen;
}

/** A command's module exports this as `command`. Resolves to the exit code; throws `UsageError` and `StateError`. */
export type Command = (context: CommandContext) => Promise<ExitCode>;

/** The text of an option, when it was given. */
export function textOption(context: CommandContext, name: string): string | undefined {
  const value = context.options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The number of an option, when it was given. */
export function numberOption(context: CommandContext, name: string): number | undefined {
  const value = context.options[name];
  return typeof value === 'number' ? value : undefined;
}

/** The texts of an option that may be given several times. */
export function listOption(context: CommandContext, name: string): string[] {
  const value = context.options[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Whether a switch is on. */
export function switchOption(context: CommandContext, name: string): boolean {
  return context.options[name] === true;
}

/** One JSON value on stdout: what `--json` prints. */
export function printJson(context: CommandContext, value: unknown): void {
  context.screen.out(JSON.stringify(value, null, 2));
}
