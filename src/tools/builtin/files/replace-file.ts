/**
 * Puts content in a file's place as one act: it is written to a temporary file beside it, and that is renamed. Who reads meanwhile sees the
 * old content or the new one, and so does a process after a crash. A link that stands under the name is replaced, never followed.
 */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { placeOf } from './area.ts';
import { type Folder, sameFile } from './folder.ts';
import { systemCode } from './system-code.ts';

export interface Replacement {
  name: string;
  bytes: Uint8Array;
  /** The file that is replaced, as it was read; without it the name must be free. */
  replaced: BigIntStats | undefined;
  signal: AbortSignal;
}

const permissions = 0o777n;

/** Throws when the name is taken, or when what is replaced has changed since it was read; nothing is written then. */
export async function replaceFile(folder: Folder, replacement: Replacement): Promise<void> {
  const temporary = `.${randomBytes(8).toString('hex')}.assay-tmp`;
  const { shown } = placeOf([...folder.parts, replacement.name]);
  const handle = await openNew(folder, temporary, replacement.replaced ? 0o600 : 0o666).catch((error: unknown) => {
    throw new Error(`${shown} could not be written (${systemCode(error)})`);
  });
  let isThere = true;
  try {
    await fill(folder, { handle, temporary }, replacement);
    replacement.signal.throwIfAborted();
    await requireUnchanged(folder, replacement);
    await folder.confirm();
    if (replacement.replaced) {
      await rename(folder.at(temporary), folder.at(replacement.name));
      isThere = false;
    } else await claim(folder, temporary, replacement.name);
  } finally {
    await handle.close();
    if (isThere) await unlink(folder.at(temporary)).catch(() => undefined);
  }
}

function openNew(folder: Folder, name: string, mode: number): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  return open(folder.at(name), flags, mode);
}

async function fill(
  folder: Folder,
  { handle, temporary }: { handle: FileHandle; temporary: string },
  { bytes, replaced }: Replacement,
): Promise<void> {
  // Where folders have no handles, a swapped folder is noticed before it gets any content.
  await folder.confirm();
  const [made, seen] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(folder.at(temporary), { bigint: true }),
  ]);
  if (!sameFile(made, seen)) throw new Error('the folder was replaced meanwhile: repeat the call');
  if (replaced) await handle.chmod(Number(replaced.mode & permissions));
  await handle.writeFile(bytes);
  await handle.sync();
}

/** Gives the file its name unless something has it. */
async function claim(folder: Folder, temporary: string, name: string): Promise<void> {
  try {
    await link(folder.at(temporary), folder.at(name));
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw takenError(folder, name);
    // File systems without hard links: the name is taken by an empty file first.
    const empty = await openNew(folder, name, 0o666).catch((reason: unknown) => {
      throw systemCode(reason) === 'EEXIST' ? takenError(folder, name) : reason;
    });
    await empty.close();
    await rename(folder.at(temporary), folder.at(name));
  }
}

function takenError(folder: Folder, name: string): Error {
  const { shown } = placeOf([...folder.parts, name]);
  return new Error(`${shown} exists: use mode overwrite to replace it, or another name`);
}

/** Whether the file is still the one that was read. Throws when it is not. */
export async function requireUnchanged(
  folder: Folder,
  { name, replaced }: Pick<Replacement, 'name' | 'replaced'>,
): Promise<void> {
  if (!replaced) return;
  const now = await lstat(folder.at(name), { bigint: true }).catch(() => undefined);
  const isSame = now && sameFile(now, replaced) && now.size === replaced.size && now.mtimeNs === replaced.mtimeNs;
  if (isSame) return;
  throw new Error(`${placeOf([...folder.parts, name]).shown} changed meanwhile: read it again and repeat the call`);
}
