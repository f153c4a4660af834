import { constants, existsSync, rmSync, statSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StateError, UsageError } from '../../core/errors.ts';
import { modelsFolder } from './cache-folder.ts';
import { checkRoom } from './disk-room.ts';
import { type DownloadProgress, download, OtherFileError, sha256Of } from './download.ts';
import { withFileLock } from './file-lock.ts';
import { hubFile } from './hub.ts';
import { checkModelFile } from './model-file.ts';
import { pinHash, pinnedHash, pinsFile } from './model-pins.ts';
import type { LocalModelRow } from './models-table.ts';
import { PartFile } from './part-file.ts';

export interface PullOptions {
  env: NodeJS.ProcessEnv;
  /** As `hubFile` takes it. */
  from?: string | undefined;
  /** A file that was got by other means. */
  file?: string | undefined;
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** As in `DownloadOptions`. */
  onRetry?: ((why: string) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** As in `DownloadOptions`. */
  waitMs?: number | undefined;
  /** As in `DownloadOptions`. */
  silentMs?: number | undefined;
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
  return withFileLock(file, { env: options.env }, async () => {
    // What is no model file at all is of no use to anybody, and is replaced.
    if (existsSync(file) && isModelFile(file)) return present(row, file, options);
    return options.file === undefined ? fetched(row, file, options) : imported(row, file, options);
  });
}

/** Deletes the file of a model; false when there was none. Its pin stays, so that the same file has to come again. */
export function removeModel(row: LocalModelRow, env: NodeJS.ProcessEnv): boolean {
  const file = join(modelsFolder(env), row.file);
  const part = new PartFile(file);
  const found = existsSync(file) || part.bytes > 0;
  rmSync(file, { force: true });
  part.remove();
  return found;
}

async function present(row: LocalModelRow, file: string, { env }: PullOptions): Promise<Pulled> {
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
  const { env, from } = options;
  const source = hubFile(row, env, from);
  const pinned = pinnedHash(row, env);
  const asked = { ...options, ...source, file, sha256: pinned, aboutBytes: row.size };
  const got = await download(asked).catch((error: unknown) => {
    if (pinned === undefined || row.sha256 !== undefined || !(error instanceof OtherFileError)) throw error;
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
  await mkdir(dirname(file), { recursive: true });
  checkRoom(file, size);
  const part = new PartFile(file);
  // A copy that is cut off must not be gone on with as a download.
  part.remove();
  await copyFile(given, part.path, constants.COPYFILE_FICLONE);
  const sha256 = await sha256Of(part.path);
  const pinned = pinnedHash(row, options.env);
  if (pinned !== undefined && pinned !== sha256) {
    part.remove();
    throw new UsageError(
      `${given} is not ${row.file} of ${row.repo}: its SHA-256 is ${sha256}, and ${pinned} is wanted. ` +
        `Get the right file, or use this one by its path: --model local:${given}`,
    );
  }
  await rename(part.path, file);
  pinHash(row, sha256, options.env);
  return { file, bytes: size, sha256, trust: trustOf(row, pinned), already: false };
}

function trustOf(row: LocalModelRow, pinned: string | undefined): Pulled['trust'] {
  if (row.sha256 !== undefined) return 'table';
  return pinned === undefined ? 'none' : 'first-download';
}

function isModelFile(file: string): boolean {
  try {
    checkModelFile(file);
    return true;
  } catch {
    return false;
  }
}

function discardUnless(check: () => void, file: string): void {
  try {
    check();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
