import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { StateError } from '../../core/errors.ts';

/** As much of what npm says is kept. */
const mostSaid = 4_000;

/**
 * The npm that started this process, that belongs to this Node, or that is found on the path: as a program for Node where its file is
 * known, since a command of Windows (`npm.cmd`) needs a shell.
 */
export function npmCommand(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): readonly [string, ...string[]] {
  const program = join('node_modules', 'npm', 'bin', 'npm-cli.js');
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean);
  const files = [
    env['npm_execpath'] ?? '',
    join(dirname(process.execPath), '..', 'lib', program),
    join(dirname(process.execPath), program),
    ...(platform === 'win32' ? folders.map((folder) => join(folder, program)) : []),
  ];
  const found = files.find((file) => file.endsWith('npm-cli.js') && existsSync(file));
  return found === undefined ? ['npm'] : [process.execPath, found];
}

/** Runs npm to its end. Rejects with `StateError` that holds what it said; when the signal aborts, behind its end. */
export function runNpm(
  [program, ...first]: readonly [string, ...string[]],
  args: readonly string[],
  { cwd, env, signal }: { cwd: string; env: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...args], {
      cwd,
      env: { ...env, npm_config_update_notifier: 'false' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    let said = '';
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString('utf8')).slice(-mostSaid);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    let failure: NodeJS.ErrnoException | undefined;
    child.on('error', (error) => {
      failure = error;
    });
    child.on('close', (code, end) => {
      if (code === 0) resolve();
      else if (failure?.code === 'ENOENT')
        reject(new StateError('npm is not on this machine, and installs the library. Install Node with npm.'));
      else if (failure) reject(failure);
      else reject(new StateError(`npm ended with ${code ?? end}, and said: ${said.trim() || 'nothing'}`));
    });
  });
}
