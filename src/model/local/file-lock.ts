import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StateError } from '../../core/errors.ts';
import { tryLock } from '../../runtime/process-lock.ts';
import { cacheFolder } from './cache-folder.ts';

export interface FileLockOptions {
  env: NodeJS.ProcessEnv;
  /** Waits for another process that has the lock, and is called once when it has to. Without, that is an error. */
  onWait?: (() => void) | undefined;
  signal?: AbortSignal | undefined;
}

const lookAgainMs = 250;

/**
 * Runs the work while no other process does the same with the file of this name in the cache. The lock of a process ends with it. Throws `StateError` when another
 * process has it and nobody waits.
 */
export async function withFileLock<T>(file: string, options: FileLockOptions, work: () => Promise<T>): Promise<T> {
  const folder = join(cacheFolder(options.env), 'locks');
  mkdirSync(folder, { recursive: true });
  const release = await taken(join(folder, basename(file)), file, options);
  try {
    return await work();
  } finally {
    release();
  }
}

async function taken(lock: string, file: string, { onWait, signal }: FileLockOptions): Promise<() => void> {
  for (let waits = 0; ; waits++) {
    const release = tryLock(lock);
    if (release) return release;
    if (onWait === undefined) {
      throw new StateError(
        `Another process is fetching ${file}. Wait for it, or end it and try again: what has come is kept.`,
      );
    }
    if (waits === 0) onWait();
    await pause(lookAgainMs, undefined, { signal });
  }
}
