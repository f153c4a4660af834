import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StateError } from '../../core/errors.ts';

/** As much of what npm says is kept. */
const mostSaid = 4_000;

/** The npm that belongs to this Node: as a program for it where its file is known, since a command of Windows needs a shell. */
export function npmCommand(env: NodeJS.ProcessEnv): readonly [string, ...string[]] {
  const given = env['npm_execpath'];
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const windows = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const program = [given, beside, windows].find((file) => file?.endsWith('npm-cli.js') && existsSync(file));
  return program === undefined ? ['npm'] : [process.execPath, program];
}

/** Runs npm to its end. Rejects with `StateError` that holds what it said; ends it when the signal aborts. */
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
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') reject(error);
      else reject(new StateError('npm is not on this machine, and installs the library. Install Node with npm.'));
    });
    child.on('close', (code, end) => {
      if (code === 0) resolve();
      else reject(new StateError(`npm ended with ${code ?? end}, and said: ${said.trim() || 'nothing'}`));
    });
  });
}
