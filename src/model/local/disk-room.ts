import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StateError } from '../../core/errors.ts';
import { sizeText } from './bytes.ts';

/** Room that is left on the disk. */
const spare = 64_000_000;

/** Throws `StateError` with the numbers when a file of so many bytes has no room in the folder of `file`, which has to be there. */
export function checkRoom(file: string, bytes: number): void {
  if (roomFor(file) < bytes + spare) throw noRoom(file, bytes);
}

/** The error for a disk that is full, or would be. */
export function noRoom(file: string, bytes: number): StateError {
  return new StateError(
    `${sizeText(bytes)} are to come, and ${dirname(file)} has room for ${sizeText(roomFor(file))}. ` +
      'Make room, or name a folder on another disk with ASSAY_CACHE.',
  );
}

/** Whether a write failed since there is no room. */
export function isFull(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function roomFor(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}
