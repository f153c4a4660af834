/** The command table as a commander program. */
import { Argument, CommanderError, InvalidArgumentError, Option, Command as Program } from 'commander';
import { UsageError } from '../core/errors.ts';
import type { CommandContext } from './command.ts';
import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { engineAddress } from './command-table/shared-options.ts';
import { commands } from './commands.ts';
import { engineOf } from './engine.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { commandName } from './hints.ts';
import { homeOf } from './home.ts';
import { version } from './package-root.ts';
import { processScreen } from './screen.ts';

const examples = [
  'demo',
  'run "What does our contract say about notice periods?" --docs ./docs',
  'run "37 * 129, and then 12% off" --model ollama:qwen3:4b',
  'show last',
];

/** Parses the arguments and runs the command. Throws `UsageError` for wrong usage. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  const outcome: { code: ExitCode } = { code: exitCodes.completed };
  const program = programFor(args, outcome);
  if (args.length === 0) {
    program.outputHelp();
    return outcome.code;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end the parsing with a throw as well.
    if (error.exitCode !== 0) throw new UsageError(usageText(error, args));
  }
  return outcome.code;
}

function programFor(args: readonly string[], outcome: { code: ExitCode }): Program {
  const program = new Program('assay')
    .description(
      'An agent whose work you can check: it plans, acts through tools, checks its answer against what the tools returned, repairs it, and keeps the lesson.',
    )
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .option('--home <dir>', 'where runs and lessons are kept (ASSAY_HOME, else .assay)')
    .option('--engine <name>', 'what executes runs: sqlite, restate or restate@URL (ASSAY_ENGINE, else sqlite)')
    .option('--json', 'print one JSON value on standard output, and nothing else there')
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true, subcommandTerm, helpWidth: Math.min(100, process.stdout.columns || 80) })
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  program.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${commandName()} ${example}`).join('\n')}`);
  // All of them take milliseconds to make, and the first word mostly names the one that is meant.
  const meant = commands.filter(({ name }) => name === args[0]);
  for (const spec of meant.length > 0 ? meant : commands) addCommand(program, spec, outcome);
  const help = program.createCommand('help').argument('[command]').description('how a command is used');
  program.addHelpCommand(help.helpGroup('Set up:').helpOption(false));
  return program;
}

/** A command in the list: its name and arguments; the options are in its own help. */
function subcommandTerm(command: Program): string {
  const args = command.registeredArguments.map((arg) => (arg.required ? `<${arg.name()}>` : `[${arg.name()}]`));
  return [command.name(), ...args].join(' ');
}

function addCommand(program: Program, spec: CommandSpec, outcome: { code: ExitCode }): void {
  const command = program.command(spec.name).description(spec.description).helpGroup(`${spec.group}:`).exitOverride();
  for (const { name, description, choices } of spec.args ?? []) {
    const argument = new Argument(name, description);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of spec.options ?? []) command.addOption(commanderOption(option));
  command.action(async (...given: unknown[]) => {
    const options: Record<string, unknown> = command.optsWithGlobals();
    const words = given.slice(0, spec.args?.length ?? 0);
    const run = await spec.load();
    outcome.code = await run(contextFor(spec, words, options));
  });
}

function contextFor(spec: CommandSpec, words: readonly unknown[], options: Record<string, unknown>): CommandContext {
  const json = options['json'] === true;
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  // For `fork`, --at is a step.
  const at = spec.options?.includes(engineAddress) ? text('at') : undefined;
  const engine = engineOf({ engine: text('engine'), at });
  const typed = `${optionWords('home', text('home'))}${optionWords('engine', text('engine'))}${optionWords('at', at)}`;
  const home = { ...homeOf(text('home'), process.env, engine), typed };
  // What a config file opens by itself lies there too.
  process.env['ASSAY_HOME'] = home.folder;
  return {
    args: words.map((word) => (typeof word === 'string' ? word : undefined)),
    options,
    home,
    json,
    screen: processScreen({ quiet: json }),
  };
}

/** An option as it is typed again. */
function optionWords(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  return ` --${name} ${/^[\w./:@~-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}

function commanderOption({ flags, description, kind, choices }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (choices) return option.choices(choices);
  switch (kind) {
    case 'integer':
      return option.argParser(positiveInteger);
    case 'number':
      return option.argParser(positiveNumber);
    case 'list':
      return option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    case undefined:
      return option;
    default:
      return kind satisfies never;
  }
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('Give a number above 0.');
  return value;
}

function positiveInteger(text: string): number {
  const value = positiveNumber(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number above 0.');
  return value;
}

/** commander's message in our form: what, the nearest name, and where to look. */
function usageText(error: CommanderError, args: readonly string[]): string {
  const message = error.message.replace(/^error: (command-argument value )?/, '').replace(/\s*\n\s*/g, ' ');
  const spec = commands.find(({ name }) => args.includes(name));
  const ended = /[.?)]$/.test(message) ? message : `${message}.`;
  const extra = error.code === 'commander.excessArguments' && spec?.tooMany ? ` ${spec.tooMany}` : '';
  const about = spec && error.code !== 'commander.unknownCommand' ? `${spec.name} --help` : '--help';
  return `${ended}${extra} See ${commandName()} ${about}`;
}
