import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Installs the peers into `bench/peers` when they are missing or older than their lock file; says so when that fails. */
export function installPeers(): void {
  const folder = fileURLToPath(new URL('../peers/', import.meta.url));
  const locked = changed(`${folder}package-lock.json`) ?? 0;
  // npm writes this file at the end of each install.
  const installed = changed(`${folder}node_modules/.package-lock.json`);
  if (installed !== undefined && installed >= locked) return;
  console.error('bench: installing the peers into bench/peers (about 20 seconds) ...');
  const npm = process.env['npm_execpath'];
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  // None of them needs its install script here, and one would compile C++.
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command, [...args, ...options], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) {
    console.error(
      'bench: the peers could not be installed. Read the message of npm above, and try again with a registry in reach.',
    );
  }
}

function changed(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
