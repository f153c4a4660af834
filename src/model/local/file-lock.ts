import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StateError } from '../../core/errors.ts';

/** Runs the work while no other process does the same with the file. The lock of a process that is gone is taken over. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  mkdirSync(dirname(lock), { recursive: true });
  take(lock, file);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string, file: string): void {
  for (let tries = 0; tries < 2; tries++) {
    try {
      const handle = openSync(lock, 'wx');
      writeSync(handle, String(process.pid));
      closeSync(handle);
      return;
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'EEXIST') throw error;
      const owner = ownerOf(lock);
      if (owner !== undefined && isAlive(owner)) {
        throw new StateError(
          `Another process (${owner}) is fetching ${file}. Wait for it, or end it and try again: what has come is kept.`,
        );
      }
      rmSync(lock, { force: true });
    }
  }
  throw new StateError(`${lock} cannot be taken: another process was faster. Try again.`);
}

function ownerOf(lock: string): number | undefined {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}
