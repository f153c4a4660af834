/** A download that is not finished: the bytes that came, and beside them where they are from and which version of the file they are of. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

export class PartFile {
  /** What came so far. */
  readonly path: string;
  readonly #note: string;

  constructor(file: string) {
    this.path = `${file}.part`;
    this.#note = `${file}.part.json`;
  }

  get bytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** What to go on with for this address: how many bytes there are and the version they belong to. Undefined where nothing is of use. */
  resumable(url: string): { bytes: number; etag: string } | undefined {
    const { bytes } = this;
    const note = this.#read();
    const etag: unknown = Reflect.get(note, 'etag');
    return bytes > 0 && typeof etag === 'string' && Reflect.get(note, 'url') === url ? { bytes, etag } : undefined;
  }

  /** Begins anew. Bytes go first: with a note of another version they would be gone on with. */
  begin(url: string, etag: string | undefined): void {
    this.remove();
    writeFileSync(this.#note, JSON.stringify({ url, etag }));
  }

  remove(): void {
    rmSync(this.path, { force: true });
    this.forget();
  }

  /** Takes the note away and leaves the bytes. */
  forget(): void {
    rmSync(this.#note, { force: true });
  }

  #read(): object {
    try {
      return Object(JSON.parse(readFileSync(this.#note, 'utf8')));
    } catch {
      return {};
    }
  }
}
