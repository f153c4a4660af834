import { opendir } from 'node:fs/promises';
import { type Area, placeOf, reachProblem } from './area.ts';
import { child, type Folder } from './folder.ts';
import { systemCode } from './system-code.ts';

/** Something below a folder. `folder` is open only until the walk goes on. */
export interface Entry {
  parts: readonly string[];
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  folder: Folder;
}

export interface WalkOptions {
  /** 1: only what stands in the folder itself. */
  depth: number;
  /** Entries looked at, together. */
  maxEntries: number;
  signal: AbortSignal;
  /** Gets a sentence for everything that is left out. */
  notes: string[];
}

/** Everything below an open folder that is in reach, folder by folder in the order of the names. Links are named, not followed. */
export async function* walk(area: Area, start: Folder, options: WalkOptions): AsyncGenerator<Entry> {
  const room = { left: options.maxEntries };
  yield* walkFolder(area, start, { ...options, room });
}

async function* walkFolder(
  area: Area,
  folder: Folder,
  options: WalkOptions & { room: { left: number } },
): AsyncGenerator<Entry> {
  for (const { name, kind } of await entriesOf(area, folder, options)) {
    options.signal.throwIfAborted();
    const parts = [...folder.parts, name];
    yield { parts, name, kind, folder };
    if (kind !== 'folder' || options.depth <= 1) continue;
    if (name === 'node_modules') {
      options.notes.push(`${placeOf(parts).shown}: installed packages, name the folder to look into it`);
      continue;
    }
    const inner = await child(area, folder, name).catch(() => undefined);
    if (inner === undefined) {
      options.notes.push(`${placeOf(parts).shown}: could not be opened`);
      continue;
    }
    try {
      yield* walkFolder(area, inner, { ...options, depth: options.depth - 1 });
    } finally {
      await inner.close();
    }
  }
}

/** Read one by one: a folder may hold millions. */
async function entriesOf(
  area: Area,
  folder: Folder,
  options: WalkOptions & { room: { left: number } },
): Promise<Pick<Entry, 'name' | 'kind'>[]> {
  const found: Pick<Entry, 'name' | 'kind'>[] = [];
  const { shown } = placeOf(folder.parts);
  try {
    for await (const entry of await opendir(folder.at('.'))) {
      options.signal.throwIfAborted();
      if (options.room.left-- <= 0) {
        options.notes.push(`${shown}: only a part of it, after ${options.maxEntries} entries: name a smaller folder`);
        break;
      }
      if (reachProblem(area, [...folder.parts, entry.name]) !== undefined) continue;
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
      found.push({ name: entry.name, kind });
    }
  } catch (error) {
    options.signal.throwIfAborted();
    options.notes.push(`${shown}: could not be read (${systemCode(error)})`);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
