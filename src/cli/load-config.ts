/** The agent that a project's `assay.config.ts` exports. */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AgentOptions } from '../agent.ts';
import { messageOf, UsageError } from '../core/errors.ts';
import { othersToStderr } from './others-output.ts';
import { packageRoot, runsFromSource } from './package-root.ts';

const configNames = ['assay.config.ts', 'assay.config.js', 'assay.config.mjs'];

/** The config file to use: the one that was named, else the one in the folder, else none. */
export function findConfig(named: string | undefined, folder: string = process.cwd()): string | undefined {
  if (named === undefined) return configNames.map((name) => join(folder, name)).find((file) => existsSync(file));
  const file = resolve(folder, named);
  if (existsSync(file)) return file;
  throw new UsageError(`The config file ${file} does not exist. Write one with \`assay init\`, or correct --config.`);
}

/** The options of the agent that the file exports as default. Throws `UsageError` that says what is wrong with the file. */
export async function loadConfig(file: string): Promise<AgentOptions> {
  resolveOwnName();
  const module = await importConfig(file);
  const agent: unknown = Reflect.get(Object(module), 'default');
  if (agent === undefined) {
    throw new UsageError(`${file} has no default export. End it with: export default defineAgent({ ... });`);
  }
  if (isAgent(agent)) return agent.options;
  throw new UsageError(
    `The default export of ${file} is no agent but ${kindOf(agent)}. Write: export default defineAgent({ ... });`,
  );
}

async function importConfig(file: string): Promise<unknown> {
  try {
    return await othersToStderr(() => import(pathToFileURL(file).href));
  } catch (error) {
    const line = lineOf(error, file);
    const where = line === undefined ? file : `${file}, line ${line},`;
    throw new UsageError(`${where} cannot be loaded: ${messageOf(error)}. ${remedyFor(error)}`, { cause: error });
  }
}

function remedyFor(error: unknown): string {
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'ERR_MODULE_NOT_FOUND') return 'Install what it imports, or correct the import.';
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return 'Its types are stripped and not compiled: use no enum, namespace or parameter property.';
  if (error instanceof UsageError) return 'Correct the options it passes to defineAgent.';
  return 'Correct the file, or write a new one with `assay init --force`.';
}

/** The line a syntax error names: the stack of one begins with the place in the source. */
function lineOf(error: unknown, file: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const begin = stack.slice(0, 500);
  const name = pathToFileURL(file).href;
  const at = begin.startsWith(name) ? name : begin.startsWith(file) ? file : undefined;
  return at && /^:(\d+)/.exec(begin.slice(at.length))?.[1];
}

/** An agent made by another copy of this package is one too, so the class is not asked. */
function isAgent(value: unknown): value is { options: AgentOptions } {
  if (typeof value !== 'object' || value === null) return false;
  const { options, run } = value as { options?: unknown; run?: unknown };
  return typeof run === 'function' && typeof options === 'object' && options !== null;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a value of type ${typeof value}`;
}

let resolved = false;

/** `import ... from 'assay'` in a config or suite file means the package whose command is running, installed beside the file or not. */
export function resolveOwnName(): void {
  if (resolved) return;
  resolved = true;
  const entry = (name: string): string =>
    new URL(runsFromSource() ? `src/${name}.ts` : `dist/${name}.js`, packageRoot()).href;
  const own: Record<string, string> = {
    assay: entry('index'),
    'assay/evals': entry('evals/index'),
    'assay/restate': entry('runtime/restate-entry'),
    'assay/server': entry('server/entry'),
    'assay/open-telemetry': entry('trace/open-telemetry-entry'),
    'assay/testing': entry('testing/testing'),
  };
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = own[specifier];
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}
