import { lstat } from 'node:fs/promises';
import { type Area, locate } from './area.ts';
import { type Folder, inFolder, statChild } from './folder.ts';
import { type ListLimits, listed } from './listed.ts';
import { shownName } from './shown-name.ts';
import { type Entry, walk } from './walk.ts';

export interface ListWish {
  path: string;
  depth: number;
}

/** What stands in a folder or a zip archive: sorted, bounded, one line each. Throws with the reason when it is neither. */
export async function listFolder(
  area: Area,
  wish: ListWish,
  options: { limits: ListLimits; signal: AbortSignal },
): Promise<string> {
  const { parts } = locate(area, wish.path);
  const name = parts.at(-1);
  const archive =
    name === undefined
      ? undefined
      : await inFolder(area, parts.slice(0, -1), async (parent) => {
          const stats = await statChild(area, parent, name);
          if (!stats.isFile()) return undefined;
          const { listArchive } = await import('./zip-files.ts');
          return listArchive(area, { folder: parent, name }, options);
        });
  return archive ?? inFolder(area, parts, (folder) => listing(area, folder, { ...options, depth: wish.depth }));
}

async function listing(
  area: Area,
  folder: Folder,
  options: { limits: ListLimits; signal: AbortSignal; depth: number },
): Promise<string> {
  const { limits, signal, depth } = options;
  const notes: string[] = [];
  const lines: string[] = [];
  for await (const entry of walk(area, folder, { depth, maxEntries: limits.maxEntries, signal, notes })) {
    if (lines.length === limits.maxListed) {
      notes.push(`everything after the first ${limits.maxListed}: name a smaller folder or use searchFiles`);
      break;
    }
    lines.push(await lineOf(entry, folder.parts.length));
  }
  return listed(folder.parts, lines, notes);
}

async function lineOf({ parts, name, kind, folder }: Entry, from: number): Promise<string> {
  const shown = shownName(parts.slice(from).join('/'));
  if (kind === 'folder') return `${shown}/`;
  if (kind === 'link') return `${shown} (a link, not followed)`;
  if (kind === 'other') return `${shown} (not a regular file)`;
  const stats = await lstat(folder.at(name)).catch(() => undefined);
  return `${shown} (${stats ? `${stats.size} bytes` : 'gone meanwhile'})`;
}
