/**
 * Copies the SQLite files of ASSAY_HOME while they are in use: `node backup.ts FOLDER [KEEP]` makes FOLDER/TIME with one file for each and
 * keeps the newest KEEP (default 14) of such folders. Each copy is one moment of its file, is read back whole, and is on the disk when the
 * folder gets its name. Ends with 1 and the reason when any of that fails; nothing old is removed then.
 *
 * VACUUM INTO reads in one transaction, so writers go on and the copy ends also under load; `sqlite3_backup` begins again with every write
 * of another process. A copy by `cp` misses what is in the write-ahead log, or mixes two moments.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const finished = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const unfinished = '.unfinished-';

function backUp(home: string, folder: string, keep: number): string {
  const files = readdirSync(home).filter((name) => name.endsWith('.db'));
  if (files.length === 0) throw new Error(`there is no database in ${home}: set ASSAY_HOME to the folder of the runs`);
  const time = new Date().toISOString().replaceAll(':', '-');
  const draft = join(folder, unfinished + time);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  for (const name of files) copy(join(home, name), join(draft, name));
  toDisk(draft);
  renameSync(draft, join(folder, time));
  toDisk(folder);
  removeOld(folder, keep);
  return `${join(folder, time)} (${files.join(', ')})`;
}

function copy(from: string, to: string): void {
  const source = new DatabaseSync(from, { timeout: 10_000 });
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  chmodSync(to, 0o600);
  const made = new DatabaseSync(to, { readOnly: true });
  try {
    const said = made.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    if (said !== 'ok') throw new Error(`the copy of ${from} is damaged: ${said}. Run \`assay doctor\` on the original`);
  } finally {
    made.close();
  }
  toDisk(to);
}

function toDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What an earlier backup that was killed has left goes too. */
function removeOld(folder: string, keep: number): void {
  const names = readdirSync(folder).sort();
  const old = names.filter((name) => finished.test(name)).slice(0, -keep);
  for (const name of [...old, ...names.filter((name) => name.startsWith(unfinished))])
    rmSync(join(folder, name), { recursive: true });
}

try {
  const [folder, keep = '14'] = process.argv.slice(2);
  const home = resolve(process.env['ASSAY_HOME'] || '.assay');
  if (folder === undefined || !/^[1-9]\d*$/.test(keep)) throw new Error('use it as: node backup.ts FOLDER [KEEP]');
  if (!existsSync(home)) throw new Error(`${home} does not exist: set ASSAY_HOME to the folder of the runs`);
  console.log(`backup: ${backUp(home, resolve(folder), Number(keep))}`);
} catch (error) {
  console.error(`backup: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
