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
  group: 'Work' | 'Look' | 'Measure' | 'Serve' | 'Set up';
  description: string;
  args?: readonly { name: string; description: string; choices?: readonly string[] }[];
  options?: readonly OptionSpec[];
  /** Said when there are too many words. */
  tooMany?: string;
  load(): Promise<Command>;
}
