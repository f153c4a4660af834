import { accessSync, constants, type Dirent, statSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { UsageError } from '../../../core/errors.ts';
import { leadsOut } from '../files/area.ts';
import { openSafely, readLimited } from '../files/read-bytes.ts';
import { systemCode } from '../files/system-code.ts';

/** A file of the folder. `path` is relative to it, with `/` on every system. */
export interface FolderFile {
  path: string;
  size: number;
  /** Changes when the content does. */
  stamp: string;
}

/** What a walk found: the files in the order of their paths, what was left out and why. */
export interface Listing {
  files: FolderFile[];
  notes: string[];
}

/** Names that are never part of a documentation: hidden ones and installed packages. */
function isSkipped(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

/** Throws `UsageError` unless `folder` is a folder that can be read. */
export function checkFolder(folder: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
    if (isFolder) accessSync(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(systemCode(error));
    const what = missing
      ? 'does not exist: create it'
      : `cannot be read (${systemCode(error)}): change its permissions`;
    throw new UsageError(`the folder ${folder} ${what} or name another one`);
  }
  if (!isFolder) throw new UsageError(`${folder} is not a folder: name a folder`);
}

/** All files below `folder`, at most `maxFiles`. Hidden names, `node_modules` and links are left out. */
export async function listFiles(folder: string, maxFiles: number): Promise<Listing> {
  checkFolder(folder);
  const { files: found, notes } = await walk(folder, maxFiles);
  const files = await Promise.all(found.map((file) => describeFile(folder, file)));
  return { files: files.filter((file) => file !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1)), notes };
}

async function walk(folder: string, maxFiles: number): Promise<{ files: string[]; notes: string[] }> {
  const files: string[] = [];
  const notes: string[] = [];
  const waiting = [''];
  for (let under = waiting.shift(); under !== undefined; under = waiting.shift()) {
    for (const entry of await entriesOf(path.join(folder, under), under, notes)) {
      const child = path.posix.join(under, entry.name);
      if (entry.isDirectory()) waiting.push(child);
      else if (entry.isSymbolicLink()) notes.push(`${child}: a link, not followed`);
      else if (entry.isFile()) files.push(child);
    }
    if (files.length > maxFiles) {
      notes.push(`all files after the first ${maxFiles}: name a smaller folder`);
      break;
    }
  }
  return { files: files.slice(0, maxFiles), notes };
}

async function entriesOf(folder: string, name: string, notes: string[]): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => !isSkipped(entry.name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    notes.push(`${name || 'the folder'}: could not be read (${systemCode(error)})`);
    return [];
  }
}

/** Undefined for a file that is gone since the listing. */
async function describeFile(folder: string, file: string): Promise<FolderFile | undefined> {
  const stats = await stat(path.join(folder, file)).catch(() => undefined);
  return (
    stats && { path: file, size: stats.size, stamp: `${stats.size}/${stats.mtimeMs}/${stats.ctimeMs}/${stats.ino}` }
  );
}

/**
 * The real path of a file that a stranger named, or the reason why it is refused: absolute, outside of the folder (also
 * through links), hidden, or missing.
 */
export async function resolveInside(folder: string, named: string): Promise<{ file: string } | { refused: string }> {
  if (/^(?:[/\\~]|[a-z]:|[a-z]+:\/\/)/i.test(named)) {
    return { refused: `${named} is an absolute path: give it relative to the folder, such as guide/start.md` };
  }
  const parts = path.posix.normalize(named.replaceAll('\\', '/')).split('/');
  if (parts[0] === '..' || named.includes('\0')) return { refused: `${named} is outside of the folder` };
  if (parts.some((part) => part !== '.' && isSkipped(part))) {
    return { refused: `${named} is hidden and not one of the documents` };
  }
  try {
    const root = await realpath(folder);
    const file = await realpath(path.join(root, ...parts));
    const inside = path.relative(root, file);
    if (leadsOut(inside)) {
      return { refused: `${named} is a link that leads out of the folder` };
    }
    if (inside.split(path.sep).some(isSkipped)) return { refused: `${named} is a link to a hidden file` };
    return { file };
  } catch (error) {
    return { refused: `${named} was not found in the folder (${systemCode(error)})` };
  }
}

/** The bytes of a file by its real path; a link put in its place meanwhile is not followed. At most `maxBytes` long. */
export async function readBytes(file: string, maxBytes: number): Promise<{ bytes: Uint8Array } | { refused: string }> {
  try {
    const handle = await openSafely(file);
    try {
      return await readLimited(handle, maxBytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { refused: `it could not be read (${systemCode(error)})` };
  }
}
