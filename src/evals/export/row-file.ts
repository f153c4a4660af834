import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { messageOf, StateError } from '../../core/errors.ts';

/** Lines are handed to the system in pieces of about this size. */
const pieceBytes = 1 << 16;

/** A file of lines that nobody sees before it is whole. Readable by its owner alone. */
export class RowFile {
  readonly path: string;
  rows = 0;
  bytes = 0;
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #waiting: string[] = [];
  #waitingLength = 0;
  #isOpen = true;

  private constructor(path: string, partial: string, handle: FileHandle) {
    this.path = path;
    this.#partial = partial;
    this.#handle = handle;
  }

  /** Throws `StateError` when it cannot be written. */
  static async create(path: string): Promise<RowFile> {
    const partial = `${path}.${process.pid}.part`;
    try {
      await rm(partial, { force: true });
      return new RowFile(path, partial, await open(partial, 'wx', 0o600));
    } catch (error) {
      throw new StateError(`${path} cannot be written: ${messageOf(error)}. Check the folder, or name another.`);
    }
  }

  async write(line: string): Promise<void> {
    this.rows++;
    this.#waiting.push(line, '\n');
    this.#waitingLength += line.length + 1;
    if (this.#waitingLength >= pieceBytes) await this.#flush();
  }

  /** Writes what is left. The SHA-256 of the bytes. */
  async seal(): Promise<string> {
    await this.#flush();
    await this.#handle.sync();
    await this.#close();
    return this.#hash.digest('hex');
  }

  /** Gives the sealed file its name. */
  async publish(): Promise<void> {
    await rename(this.#partial, this.path);
  }

  /** Leaves nothing behind of what was not published. */
  async discard(): Promise<void> {
    await this.#close();
    await rm(this.#partial, { force: true });
  }

  async #close(): Promise<void> {
    if (this.#isOpen) await this.#handle.close();
    this.#isOpen = false;
  }

  async #flush(): Promise<void> {
    const piece = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#hash.update(piece);
    this.bytes += piece.length;
    await this.#handle.appendFile(piece);
  }
}
