#!/usr/bin/env node
// Runs before `npm start` and `npm test`. Installs the dependencies when they are missing or older than the lock file, and says so.
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

// npm writes this file at the end of each install.
const installed = changed('node_modules/.package-lock.json');
const locked = changed('package-lock.json');
const ownNode = changed('node_modules/node/bin/node') ?? changed('node_modules/node/bin/node.exe');

if (installed === undefined || ownNode === undefined || (locked !== undefined && locked > installed)) {
  const why =
    installed === undefined
      ? 'not installed yet'
      : ownNode === undefined
        ? 'incomplete'
        : 'older than package-lock.json';
  console.error(`assay: dependencies are ${why}; running npm ci (about 20 seconds) ...`);
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const done = spawnSync(command, [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.status !== 0) {
    console.error('assay: npm ci failed. Read its message above; delete node_modules and try again.');
    process.exit(done.status ?? 1);
  }
}
