import { existsSync, rmSync, statSync } from 'node:fs';
import { copyFile, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StateError, UsageError } from '../../core/errors.ts';
import { modelsFolder } from './cache-folder.ts';
import { checkRoom, type DownloadProgress, download, partOf, sha256Of } from './download.ts';
import { withFileLock } from './file-lock.ts';
import { hubFile } from './hub.ts';
import { checkModelFile } from './model-file.ts';
import { pinHash, pinnedHash, pinsFile } from './model-pins.ts';
import type { LocalModelRow } from './models-table.ts';

export interface PullOptions {
  env: NodeJS.ProcessEnv;
  /** As `hubFile` takes it. */
  from?: string | undefined;
  /** A file that was got by other means. */
  file?: string | undefined;
  onProgress?(progress: DownloadProgress): void;
  signal?: AbortSignal | undefined;
  /** As in `DownloadOptions`. */
  waitMs?: number;
}

/** A model file that is in its place. */
export interface Pulled {
  file: string;
  bytes: number;
  sha256: string;
  /**
   * What the hash was held to: the table, the first download, what the hub said, or nothing: then this was the first download, and later
   * ones are held to it.
   */
  trust: 'table' | 'first-download' | 'hub' | 'none';
  /** It was there before. */
  already: boolean;
}

/** Puts the file of a model where `local:NAME` looks for it. Throws `StateError` or `UsageError` with the remedy. */
export function pullModel(row: LocalModelRow, options: PullOptions): Promise<Pulled> {
  const file = join(modelsFolder(options.env), row.file);
  return withFileLock(file, async () => {
    if (existsSync(file)) return present(row, file, options);
    return options.file === undefined ? fetched(row, file, options) : imported(row, file, options);
  });
}

/** Deletes the file of a model; false when there was none. Its pin stays, so that the same file has to come again. */
export function removeModel(row: LocalModelRow, env: NodeJS.ProcessEnv): boolean {
  const file = join(modelsFolder(env), row.file);
  const found = existsSync(file) || existsSync(partOf(file));
  for (const one of [file, partOf(file), `${partOf(file)}.json`]) rmSync(one, { force: true });
  return found;
}

async function present(row: LocalModelRow, file: string, { env }: PullOptions): Promise<Pulled> {
  checkModelFile(file);
  const pinned = pinnedHash(row, env);
  const sha256 = await sha256Of(file);
  if (pinned !== undefined && pinned !== sha256) {
    throw new StateError(
      `${file} has changed since it was fetched: its SHA-256 is ${sha256}, not ${pinned}. ` +
        `Delete it and get it again: assay models remove ${row.name}, then assay models pull ${row.name}`,
    );
  }
  if (pinned === undefined) pinHash(row, sha256, env);
  return { file, bytes: statSync(file).size, sha256, trust: trustOf(row, pinned), already: true };
}

async function fetched(row: LocalModelRow, file: string, options: PullOptions): Promise<Pulled> {
  const { env, from, onProgress, signal, waitMs } = options;
  const { url, headers } = hubFile(row, env, from);
  const pinned = pinnedHash(row, env);
  const got = await download({
    url,
    file,
    env,
    headers,
    sha256: pinned,
    ...(onProgress && { onProgress }),
    signal,
    ...(waitMs !== undefined && { waitMs }),
  }).catch((error: unknown) => {
    if (pinned === undefined || row.sha256 !== undefined || !isOtherFile(error)) throw error;
    throw new StateError(
      `${error.message} The hash is that of the first download, kept in ${pinsFile(env)}; if the publisher has really replaced the file, delete its line there.`,
      { cause: error },
    );
  });
  discardUnless(() => checkModelFile(file), file);
  pinHash(row, got.sha256, env);
  const trust = trustOf(row, pinned) === 'none' && got.checkedAgainst === 'server' ? 'hub' : trustOf(row, pinned);
  return { file, bytes: got.bytes, sha256: got.sha256, trust, already: false };
}

async function imported(row: LocalModelRow, file: string, options: PullOptions): Promise<Pulled> {
  const given = resolve(options.file ?? '');
  checkModelFile(given);
  const { size } = statSync(given);
  const part = partOf(file);
  checkRoom(file, size);
  await copyFile(given, part);
  const sha256 = await sha256Of(part);
  const pinned = pinnedHash(row, options.env);
  if (pinned !== undefined && pinned !== sha256) {
    rmSync(part, { force: true });
    throw new UsageError(
      `${given} is not ${row.file} of ${row.repo}: its SHA-256 is ${sha256}, and ${pinned} is wanted. ` +
        `Get the right file, or use this one by its path: --model local:${given}`,
    );
  }
  await rename(part, file);
  pinHash(row, sha256, options.env);
  return { file, bytes: size, sha256, trust: trustOf(row, pinned), already: false };
}

function trustOf(row: LocalModelRow, pinned: string | undefined): Pulled['trust'] {
  if (row.sha256 !== undefined) return 'table';
  return pinned === undefined ? 'none' : 'first-download';
}

function isOtherFile(error: unknown): error is StateError {
  return error instanceof StateError && error.message.includes('SHA-256');
}

function discardUnless(check: () => void, file: string): void {
  try {
    check();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
