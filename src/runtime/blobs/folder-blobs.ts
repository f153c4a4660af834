/**
 * Blobs as files of a folder, which machines may share by a network file system.
 *
 * 1. A file is written under another name, forced to the disk and renamed, so that nobody ever sees a part of it.
 * 2. Only the owner may read them.
 * 3. What a killed process left half written is removed after a day.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, StateError, UsageError } from '../../core/errors.ts';
import { type BlobStore, bytesOf, checkedBytes, digitsOf, missingBlob, referenceOf } from '../blobs.ts';

const abandonedMs = 24 * 60 * 60 * 1_000;

/** A blob store in the folder, which is made with the first blob: `ab/cd/abcd…`, named by the hash. */
export function folderBlobs(options: { folder: string }): BlobStore {
  const folder = resolve(options.folder);
  const unfinished = join(folder, 'unfinished');
  const fileOf = (reference: string): string => {
    const digits = digitsOf(reference);
    return join(folder, digits.slice(0, 2), digits.slice(2, 4), digits);
  };
  let swept: Promise<void> | undefined;

  return {
    put: (content) =>
      explained(folder, async () => {
        const bytes = bytesOf(content);
        const reference = referenceOf(bytes);
        const file = fileOf(reference);
        await mkdir(unfinished, { recursive: true, mode: 0o700 });
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        swept ??= removeAbandoned(unfinished).catch((error: unknown) => {
          swept = undefined;
          throw error;
        });
        await swept;
        await writeWhole(file, { bytes, by: join(unfinished, randomUUID()) });
        return reference;
      }),
    get: (reference) =>
      explained(folder, async () => {
        const bytes = await readFile(fileOf(reference)).catch((error: unknown) => {
          throw isMissing(error) ? missingBlob(reference, folder) : error;
        });
        return checkedBytes(reference, bytes, folder);
      }),
    delete: (reference) => explained(folder, () => rm(fileOf(reference), { force: true })),
    close: async () => undefined,
  };
}

/** Also over a file that is there: it may be damaged, and a rename replaces it at once. */
async function writeWhole(file: string, { bytes, by }: { bytes: Uint8Array; by: string }): Promise<void> {
  try {
    const handle = await open(by, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(by, file);
  } catch (error) {
    await rm(by, { force: true });
    throw error;
  }
  await syncFolder(dirname(file));
}

/** A rename is on the disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeAbandoned(unfinished: string): Promise<void> {
  for (const name of await readdir(unfinished)) {
    const file = join(unfinished, name);
    // Another process may rename or remove it meanwhile.
    const made = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (made < Date.now() - abandonedMs) await rm(file, { force: true });
  }
}

async function explained<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StateError || error instanceof UsageError) throw error;
    throw new StateError(
      `the blobs in ${folder} cannot be used (${messageOf(error)}): check that the folder may be written and its disk has space`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
