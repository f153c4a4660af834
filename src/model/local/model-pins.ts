import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { modelsFolder } from './cache-folder.ts';
import type { LocalModelRow } from './models-table.ts';

/**
 * Hashes of first downloads. Trust on first use: what came the first time is what has to come from then on, since nothing said beforehand
 * what it should be.
 */
export function pinnedHash(row: LocalModelRow, env: NodeJS.ProcessEnv): string | undefined {
  return row.sha256 ?? readPins(env)[keyOf(row)];
}

/** Remembers the hash of a first download. */
export function pinHash(row: LocalModelRow, sha256: string, env: NodeJS.ProcessEnv): void {
  if (row.sha256 !== undefined) return;
  const file = pinsFile(env);
  mkdirSync(dirname(file), { recursive: true });
  const text = `${JSON.stringify({ ...readPins(env), [keyOf(row)]: sha256 }, undefined, 2)}\n`;
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** Where the hashes are kept; a pin is taken back by deleting its line. */
export function pinsFile(env: NodeJS.ProcessEnv): string {
  return join(modelsFolder(env), 'pins.json');
}

function keyOf({ repo, revision, file }: LocalModelRow): string {
  return `${repo}@${revision}/${file}`;
}

function readPins(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    const pins: unknown = JSON.parse(readFileSync(pinsFile(env), 'utf8'));
    const entries = Object.entries(typeof pins === 'object' && pins !== null ? pins : {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}
