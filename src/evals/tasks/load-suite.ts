/** The suite that a file exports, for the command line. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Suite } from '../suite.ts';

const suiteNames = ['suite.ts', 'suite.js', 'suite.mjs'];
const endings = ['.ts', '.mts', '.js', '.mjs'];

/**
 * The suite that the file, or `suite.ts`, `suite.js` or `suite.mjs` of the folder, exports as default. A suite made by another copy of
 * this package is one too. Throws `UsageError` that says what is wrong with the file and how to mend it.
 */
export async function loadSuite(path: string): Promise<Suite> {
  const file = suiteFile(resolve(path));
  const module = await importSuite(file);
  const suite: unknown = Reflect.get(Object(module), 'default');
  if (isSuite(suite)) return suite;
  const found = suite === undefined ? 'has no default export' : `exports as default no suite but ${kindOf(suite)}`;
  throw new UsageError(`${file} ${found}. End it with: export default defineSuite({ ... });`);
}

function suiteFile(path: string): string {
  if (!existsSync(path)) throw new UsageError(`${path} does not exist. Name a suite file, or a folder with suite.ts.`);
  if (statSync(path).isDirectory()) {
    const file = suiteNames.map((name) => join(path, name)).find((name) => existsSync(name));
    if (file !== undefined) return file;
    throw new UsageError(`The folder ${path} holds no ${suiteNames.join(', ')}. Add one, or name the suite file.`);
  }
  if (endings.some((ending) => path.endsWith(ending))) return path;
  throw new UsageError(
    `${path} is no suite file: one ends in ${endings.join(', ')} and exports defineSuite({ ... }). Read tasks in it with readTasks('${path}').`,
  );
}

async function importSuite(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const line = lineOf(error, file);
    const where = line === undefined ? file : `${file}, line ${line},`;
    throw new UsageError(`${where} cannot be loaded: ${messageOf(error).replace(/\.$/, '')}.${remedyFor(error)}`, {
      cause: error,
    });
  }
}

function remedyFor(error: unknown): string {
  // It says so itself.
  if (error instanceof UsageError) return '';
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === 'ERR_MODULE_NOT_FOUND') return ' Install what it imports, or correct the import.';
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return ' Its types are stripped and not compiled: use no enum, namespace or parameter property.';
  return ' Correct the file.';
}

/** The first line of the file that the stack names: of a syntax error its place, of a throw where it came from. */
function lineOf(error: unknown, file: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const names = [pathToFileURL(file).href, file];
  const at = names.find((name) => stack.includes(`${name}:`));
  return at && /^:(\d+)/.exec(stack.slice(stack.indexOf(`${at}:`) + at.length))?.[1];
}

function isSuite(value: unknown): value is Suite {
  if (typeof value !== 'object' || value === null) return false;
  const { name, tasks, graders, configurations } = value as Partial<Record<keyof Suite, unknown>>;
  return (
    typeof name === 'string' &&
    typeof tasks === 'function' &&
    typeof graders === 'function' &&
    Array.isArray(configurations)
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null && 'grade' in value) return 'the options of one';
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
