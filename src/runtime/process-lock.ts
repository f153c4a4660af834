/**
 * Says to other processes that this one lives, and lets them find out when it does not.
 *
 * 1. Alive means: the kernel holds a lock on the owner's file. It goes with the process, however that ends.
 * 2. A name is random and never used twice.
 * 3. Only who holds the lock removes the file, so that nobody removes the file of an owner that is about to lock it.
 */
import { existsSync, readdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { nodeSqlite } from './node-sqlite.ts';
import { sqliteCode } from './sqlite-errors.ts';

const busy = 5;
const infix = '.owner-';

/** The lock of one owner beside a database file. */
export class ProcessLock {
  readonly owner: string;
  readonly #file: string;
  #held: DatabaseSync | undefined;

  constructor(file: string) {
    this.#file = file;
    this.owner = `${process.pid}-${crypto.randomUUID()}`;
  }

  /** Takes the lock, unless it is held already, and sweeps the files of the dead. */
  hold(): void {
    if (this.#held) return;
    const path = this.#file + infix + this.owner;
    // A sweeper that opened the file before it was locked may remove it.
    while (!this.#held || !existsSync(path)) {
      this.#held?.close();
      this.#held = locked(path);
    }
    sweep(this.#file);
  }

  /** Whether the process behind an owner's name still lives. */
  isAlive(owner: string): boolean {
    return owner === this.owner ? this.#held !== undefined : isLocked(this.#file + infix + owner);
  }

  release(): void {
    if (!this.#held) return;
    remove(this.#file + infix + this.owner);
    this.#held.close();
    this.#held = undefined;
  }
}

/**
 * Takes the kernel's lock on a file, made where it is missing, and gives the function that lets go of it; undefined when someone else has
 * it. It goes with the process. The file stays: who removed it could not know whether another process is about to lock it.
 */
export function tryLock(path: string): (() => void) | undefined {
  const database = locked(path);
  return database && (() => database.close());
}

/** Opens the file and locks it; undefined when someone else has it. */
function locked(path: string): DatabaseSync | undefined {
  const database = new (nodeSqlite().DatabaseSync)(path, { timeout: 0 });
  try {
    // Nothing is ever written, so no journal file either.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (sqliteCode(error) === busy) return undefined;
    throw error;
  }
}

function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = locked(path);
  if (!database) return true;
  remove(path);
  database.close();
  return false;
}

function sweep(file: string): void {
  const directory = dirname(file);
  const prefix = basename(file) + infix;
  for (const name of readdirSync(directory)) {
    if (name.startsWith(prefix)) isLocked(join(directory, name));
  }
}

/** Where an open file cannot be removed (Windows), a later sweep does it. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or to be swept later.
  }
}
