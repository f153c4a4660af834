/**
 * Folders of the area, entered part by part.
 *
 * 1. No link is ever followed: not the last part, none of the folders before it.
 * 2. On Linux each part is opened relative to the open handle of its parent (`/proc/self/fd/N/name`, which is what `openat` does), so
 *    that nobody who swaps a folder for a link in between leads anything out. What is left: someone who moves the folder itself out of the
 *    root while a call works in it takes the call's file with it, which they could have done afterwards as well.
 * 3. Elsewhere the real path is compared before and after each use. What is left there: a process that swaps folders for links while a
 *    call works can win between two system calls, so nobody who would do that may write to the root.
 * 4. A name has to be spelled as it is stored, so that rules by path cannot be passed by another case or another Unicode form.
 *
 * Hard links are files of the folder like any other: reading one reads what it shares with another place, and writing replaces it,
 * which leaves the other place as it was. Who can make hard links in the root can let the model read their targets.
 */
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { type Area, leadsOut, placeOf, reachProblem } from './area.ts';
import { systemCode } from './system-code.ts';

/** Windows has none of the two. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const isFolder = constants.O_DIRECTORY ?? 0;

/** An open folder. */
export interface Folder {
  readonly parts: readonly string[];
  /** A path to a child for the system, which leads through this very folder. */
  at(name: string): string;
  /** Throws when it is no longer where it was entered. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the folder, `use`s it, and closes it. Throws with the reason when it is not there, no folder, or behind a link. */
export async function inFolder<T>(
  area: Area,
  parts: readonly string[],
  use: (folder: Folder) => Promise<T>,
  options: { create?: boolean } = {},
): Promise<T> {
  let folder = await openRoot(area);
  try {
    for (const name of parts) {
      const parent = folder;
      folder = await child(area, parent, name, options);
      await parent.close();
    }
    return await use(folder);
  } catch (error) {
    throw withoutPaths(error);
  } finally {
    await folder.close();
  }
}

/** The system's own messages hold paths that are no business of the model. */
function withoutPaths(error: unknown): unknown {
  const isSystem = error instanceof Error && 'syscall' in error;
  return isSystem ? new Error(`the file system refused it (${systemCode(error)}): try another path`) : error;
}

/** Opens the folder `name` of an open one. The caller closes both. */
export async function child(
  area: Area,
  parent: Folder,
  name: string,
  options: { create?: boolean } = {},
): Promise<Folder> {
  const parts = [...parent.parts, name];
  const { shown } = placeOf(parts);
  if (options.create) await makeFolder(parent, name, shown);
  const stats = await statChild(area, parent, name);
  if (!stats.isDirectory()) throw new Error(`${shown} is not a folder: name a folder`);
  return openFolder(area, parent.at(name), parts);
}

async function makeFolder(parent: Folder, name: string, shown: string): Promise<void> {
  try {
    await mkdir(parent.at(name));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw new Error(`the folder ${shown} could not be made (${systemCode(error)})`);
  }
}

/** What stands under the name, which is no link and spelled as it is stored. Throws with the reason otherwise. */
export async function statChild(area: Area, folder: Folder, name: string): Promise<BigIntStats> {
  const parts = [...folder.parts, name];
  const { shown } = placeOf(parts);
  let stats: BigIntStats;
  try {
    stats = await lstat(folder.at(name), { bigint: true });
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw new NotFoundError(`${shown} was not found: listFiles shows what there is`);
    throw new Error(`${shown} could not be read (${systemCode(error)})`);
  }
  if (stats.isSymbolicLink()) throw new Error(await linkRefusal(area, parts));
  const stored = await storedName(folder, name, stats);
  if (stored !== name) {
    throw new Error(`${shown} is stored under another spelling: use ${placeOf([...folder.parts, stored]).shown}`);
  }
  return stats;
}

/** Nothing stands under the name. */
export class NotFoundError extends Error {}

export function sameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** Where a link leads, as far as it is inside: the model has to use the real path, which rules by path have seen. */
async function linkRefusal(area: Area, parts: readonly string[]): Promise<string> {
  const { shown } = placeOf(parts);
  const target = await realpath(path.join(area.root, ...parts)).catch(() => undefined);
  if (target === undefined) return `${shown} is a link that leads nowhere: links are not followed`;
  const inside = path.relative(area.root, target);
  const targetParts = inside === '' ? [] : inside.split(path.sep);
  if (leadsOut(inside) || reachProblem(area, targetParts) !== undefined) {
    return `${shown} is a link that leads out of the folder: links are not followed`;
  }
  return `${shown} is a link, and links are not followed: write the real path ${placeOf(targetParts).shown} in its place`;
}

/** The name as the folder stores it. Asked only where another spelling finds the same file: the system then folds names. */
async function storedName(folder: Folder, name: string, stats: BigIntStats): Promise<string> {
  const folded = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const spellings = new Set([name.toUpperCase(), name.toLowerCase(), name.normalize('NFC'), name.normalize('NFD')]);
  spellings.delete(name);
  for (const spelling of spellings) {
    const other = await lstat(folder.at(spelling), { bigint: true }).catch(() => undefined);
    if (!other || !sameFile(other, stats)) continue;
    const names = await readdir(folder.at('.'));
    return names.includes(name) ? name : (names.find((each) => folded(each) === folded(name)) ?? spelling);
  }
  return name;
}

async function openRoot(area: Area): Promise<Folder> {
  try {
    return await openFolder(area, area.root, []);
  } catch (error) {
    throw new Error(`the folder of these tools cannot be opened (${systemCode(error)})`);
  }
}

async function openFolder(area: Area, opened: string, parts: readonly string[]): Promise<Folder> {
  const real = path.join(area.root, ...parts);
  if ((area.reach ?? (await bestReach())) === 'path') {
    const folder = new PathFolder(real, parts);
    await folder.confirm();
    return folder;
  }
  try {
    const handle = await open(opened, constants.O_RDONLY | isFolder | noFollow);
    return new HandleFolder(handle, real, parts);
  } catch (error) {
    throw new Error(`${placeOf(parts).shown} could not be opened as a folder (${systemCode(error)})`);
  }
}

class HandleFolder implements Folder {
  readonly parts: readonly string[];
  readonly #handle: FileHandle;
  readonly #real: string;

  constructor(handle: FileHandle, real: string, parts: readonly string[]) {
    this.#handle = handle;
    this.#real = real;
    this.parts = parts;
  }

  at(name: string): string {
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }

  async confirm(): Promise<void> {
    const now = await readlink(`/proc/self/fd/${this.#handle.fd}`);
    if (now !== this.#real) throw new Error(moved(this.parts));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

class PathFolder implements Folder {
  readonly parts: readonly string[];
  readonly #real: string;

  constructor(real: string, parts: readonly string[]) {
    this.#real = real;
    this.parts = parts;
  }

  at(name: string): string {
    return path.join(this.#real, name);
  }

  async confirm(): Promise<void> {
    const now = await realpath(this.#real).catch(() => undefined);
    if (now !== this.#real) throw new Error(moved(this.parts));
  }

  async close(): Promise<void> {}
}

function moved(parts: readonly string[]): string {
  return `the folder ${placeOf(parts).shown} was moved or replaced meanwhile: look again and repeat the call`;
}

let best: Promise<NonNullable<Area['reach']>> | undefined;

/** Linux without a mounted /proc has to do as the others do. */
function bestReach(): Promise<NonNullable<Area['reach']>> {
  best ??= process.platform === 'linux' ? probed() : Promise.resolve('path');
  return best;
}

async function probed(): Promise<NonNullable<Area['reach']>> {
  const handle = await open('/', constants.O_RDONLY | isFolder);
  try {
    const [direct, through] = [await handle.stat({ bigint: true }), await throughProc(handle.fd)];
    return through && sameFile(direct, through) ? 'handle' : 'path';
  } finally {
    await handle.close();
  }
}

async function throughProc(fd: number): Promise<BigIntStats | undefined> {
  return stat(`/proc/self/fd/${fd}/.`, { bigint: true }).catch(() => undefined);
}
