import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import type { Area } from './area.ts';
import { placeOf } from './area.ts';
import { type Folder, sameFile, statChild } from './folder.ts';
import { systemCode } from './system-code.ts';

/** The content of a file, and what the system says of it. */
export interface FileContent {
  bytes: Buffer;
  stats: BigIntStats;
}

/** Windows has neither. Without O_NONBLOCK, opening a named pipe would wait for a writer. */
const safely: number = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The bytes of a file of an open folder. Throws with the reason for links, folders, devices, pipes, and at more than `maxBytes`. */
export async function readChild(area: Area, folder: Folder, name: string, maxBytes: number): Promise<FileContent> {
  const { shown } = placeOf([...folder.parts, name]);
  const seen = await statChild(area, folder, name);
  const refused = refusal(seen, maxBytes);
  if (refused !== undefined) throw new Error(`${shown}: ${refused}`);
  const handle = await openSafely(folder.at(name)).catch((error: unknown) => {
    throw new Error(`${shown} could not be opened (${systemCode(error)})`);
  });
  try {
    const stats = await handle.stat({ bigint: true });
    await folder.confirm();
    // Without handles of folders, this is what tells that the name still leads to the file that was opened.
    const now = await lstat(folder.at(name), { bigint: true }).catch(() => undefined);
    if (!now || !sameFile(stats, now)) throw new Error(`${shown} was replaced meanwhile: repeat the call`);
    const read = await readLimited(handle, maxBytes);
    if ('refused' in read) throw new Error(`${shown}: ${read.refused}`);
    return { bytes: read.bytes, stats };
  } finally {
    await handle.close();
  }
}

/** Opens for reading; a link or a pipe put in the file's place meanwhile can neither lead away nor hang. */
export function openSafely(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | safely);
}

/** All bytes of an open file, counted as they are read: a file that grows meanwhile cannot pass the limit. */
export async function readLimited(
  handle: FileHandle,
  maxBytes: number,
): Promise<{ bytes: Buffer } | { refused: string }> {
  const stats = await handle.stat({ bigint: true });
  const refused = refusal(stats, maxBytes);
  if (refused !== undefined) return { refused };
  // One byte more tells that the file goes on; files that the system makes up have no size before they are read.
  let buffer = Buffer.alloc(Math.min(Number(stats.size) || probeBytes, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length > maxBytes) return { refused: `it has more bytes than the limit of ${maxBytes}` };
    if (bytesRead === 0) return { bytes: buffer.subarray(0, length) };
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(length * 2, maxBytes + 1));
  }
}

const probeBytes = 64 * 1024;

function refusal(stats: BigIntStats, maxBytes: number): string | undefined {
  if (stats.isDirectory()) return 'it is a folder: name a file in it';
  if (!stats.isFile()) return 'it is not a regular file';
  return stats.size > maxBytes ? `it has ${stats.size} bytes, more than the limit of ${maxBytes}` : undefined;
}
