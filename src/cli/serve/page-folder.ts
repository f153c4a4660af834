/** Where the built files of the page are. The package brings them; a clone builds them when they are missing or older than their sources. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../core/errors.ts';
import { packageRoot, runsFromSource } from '../package-root.ts';

/** Neither is a source of the page. */
const notSources: ReadonlySet<string> = new Set(['node_modules', 'dist']);

/** The folder of the page. `tell` hears of a build that begins or fails. */
export async function pageFolder(tell: (text: string) => void): Promise<string> {
  const root = fileURLToPath(packageRoot());
  return runsFromSource() ? pageOfClone(root, tell) : join(root, 'dist', 'web');
}

/** The folder of the page in a clone at `root`, as new as its sources. After a build that failed it holds what it held before. */
export async function pageOfClone(root: string, tell: (text: string) => void): Promise<string> {
  const folder = join(root, 'web', 'dist');
  if (!existsSync(join(root, 'web', 'vite.config.ts')) || isFresh(root, folder)) return folder;
  tell('Building the page, which takes a few seconds: it is missing or older than its sources ...');
  const failure = await build(root, folder);
  if (failure !== undefined) tell(`The page could not be built; try \`npm run web:build\`. ${failure}`);
  return folder;
}

function isFresh(root: string, folder: string): boolean {
  const built = statSync(join(folder, 'index.html'), { throwIfNoEntry: false });
  return built !== undefined && built.mtimeMs > newestIn(join(root, 'web'));
}

function newestIn(folder: string): number {
  const times = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !notSources.has(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs;
    });
  return Math.max(0, ...times);
}

/** Into a folder of its own first: processes that start together must not read half of what another one writes. */
async function build(root: string, folder: string): Promise<string | undefined> {
  let made: string | undefined;
  try {
    const cache = join(root, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    made = mkdtempSync(join(cache, 'assay-page-'));
    const built = join(made, 'dist');
    const failure = await runVite(root, built);
    if (failure !== undefined || isFresh(root, folder)) return failure;
    rmSync(folder, { recursive: true, force: true });
    renameSync(built, folder);
    return undefined;
  } catch (error) {
    // Without a page the API is served nevertheless.
    return messageOf(error);
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}

/** The end of what it says where it fails. */
async function runVite(root: string, folder: string): Promise<string | undefined> {
  const program = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = ['build', 'web', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn'];
  const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      said = (said + text).slice(-1_000);
    });
  }
  // What cannot be started at all is told by an event, not by a status.
  const [code] = await once(child, 'close').catch((error: unknown) => [String(error)]);
  return code === 0 ? undefined : said.trim() || String(code);
}
