#!/usr/bin/env node
// Runs before the scripts of package.json that people start with. Installs the dependencies when they are missing or older than the lock file, and says so.
// Plain JavaScript for any Node from 18 on: it runs before the project's own Node is there.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function changed(path) {
  try {
    return statSync(new URL(`../${path}`, import.meta.url)).mtimeMs;
  } catch {
    return undefined;
  }
}

const ownNode = () => changed('node_modules/node/bin/node') ?? changed('node_modules/node/bin/node.exe');
const [major, minor] = process.versions.node.split('.').map(Number);
const canRun = major > 22 || (major === 22 && minor >= 18);

function whyInstall() {
  // npm writes this file at the end of each install.
  const installed = changed('node_modules/.package-lock.json');
  const locked = changed('package-lock.json');
  if (installed === undefined) return 'not installed yet';
  if (ownNode() === undefined && !canRun) return 'incomplete';
  return locked !== undefined && locked > installed ? 'older than package-lock.json' : undefined;
}

function fail(message, status) {
  console.error(`assay: ${message}`);
  process.exit(status);
}

const why = whyInstall();
if (why !== undefined) {
  console.error(`assay: dependencies are ${why}; running npm ci (about 40 seconds) ...`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const done = spawnSync(command, [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0) {
    fail('npm ci failed. Read its message above; delete node_modules and try again.', done.status ?? 1);
  }
  if (ownNode() === undefined && !canRun) {
    fail(
      `npm installed no Node for this project (does its configuration say ignore-scripts?), and ${process.versions.node} is too old: ` +
        'run `npm rebuild node --ignore-scripts=false`, or use Node 22.18 or newer.',
      1,
    );
  }
}
