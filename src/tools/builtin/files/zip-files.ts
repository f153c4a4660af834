/**
 * Zip archives, looked into and never extracted.
 *
 * 1. Sizes in an archive are written by a stranger: output is bounded while it is inflated, and content that differs from its size or its
 *    checksum is refused.
 * 2. Names are checked like the paths of the model. Links, devices and names that lead out are no entries; a name that stands for two is none.
 * 3. An archive inside of an archive is bytes: it is not opened.
 */
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { type Area, placeOf, reachProblem, spellingProblem } from './area.ts';
import { isZip } from './file-text.ts';
import type { Folder } from './folder.ts';
import { type ListLimits, listed } from './listed.ts';
import { readChild } from './read-bytes.ts';
import { shownName } from './shown-name.ts';
import { systemCode } from './system-code.ts';

/** A file that should be an archive, in an open folder. */
export interface ArchiveFile {
  folder: Folder;
  name: string;
}

interface Archive {
  bytes: Buffer;
  zip: ZipFile;
  entries: ReadonlyMap<string, Entry>;
  skipped: string[];
}

const mostEntries = 10_000;
const deepest = 32;
const inflate = promisify(inflateRaw);

/** The entries of an archive, sorted and bounded, one line each. */
export async function listArchive(
  area: Area,
  file: ArchiveFile,
  options: { limits: ListLimits; signal: AbortSignal },
): Promise<string> {
  const { limits, signal } = options;
  const { entries, skipped } = await openArchive(area, file, { maxBytes: limits.maxArchiveBytes, signal });
  const names = [...entries.keys()].sort();
  const lines = names
    .slice(0, limits.maxListed)
    .map((name) => `${shownName(name)} (${entries.get(name)?.uncompressedSize} bytes as declared)`);
  if (names.length > lines.length) skipped.push(`everything after the first ${lines.length}`);
  return listed([...file.folder.parts, file.name], lines, skipped);
}

/** The bytes of one entry, at most `maxBytes`. Throws with the reason when there is no such entry or it cannot be trusted. */
export async function readEntry(
  area: Area,
  file: ArchiveFile & { entry: string },
  options: { maxBytes: number; maxArchiveBytes: number; signal: AbortSignal },
): Promise<Buffer> {
  const archive = await openArchive(area, file, { maxBytes: options.maxArchiveBytes, signal: options.signal });
  const entry = archive.entries.get(file.entry.replace(/^\.\//, ''));
  const shown = shownName(file.entry);
  if (!entry) throw new Error(`${shown} is no file of the archive: listFiles with the archive's path shows them`);
  if (entry.isEncrypted()) throw new Error(`${shown} is encrypted: it cannot be read`);
  if (!entry.canDecodeFileData()) throw new Error(`${shown} is packed by a method that is not supported`);
  try {
    return await contentOf(archive, entry, options.maxBytes);
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') {
      throw new Error(`${shown} has more bytes than the limit of ${options.maxBytes}, whatever the archive declares`);
    }
    throw new Error(`${shown} is damaged: ${error instanceof Error ? error.message : 'it cannot be inflated'}`);
  }
}

async function contentOf({ zip, bytes }: Archive, entry: Entry, maxBytes: number): Promise<Buffer> {
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = bytes.subarray(fileDataStart, fileDataStart + entry.compressedSize);
  if (entry.compressionMethod === 0 && packed.length > maxBytes) {
    throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
  }
  // zlib counts what it puts out, chunk by chunk, and stops at the limit.
  const content = entry.compressionMethod === 0 ? packed : await inflate(packed, { maxOutputLength: maxBytes });
  if (content.length !== entry.uncompressedSize) {
    throw new Error(`it has ${content.length} bytes, the archive declares ${entry.uncompressedSize}`);
  }
  if (crc32(content) !== entry.crc32) throw new Error('its checksum does not fit');
  return content;
}

async function openArchive(
  area: Area,
  { folder, name }: ArchiveFile,
  options: { maxBytes: number; signal: AbortSignal },
): Promise<Archive> {
  const parts = [...folder.parts, name];
  const { shown } = placeOf(parts);
  const { bytes } = await readChild(area, folder, name, options.maxBytes);
  if (!isZip(bytes)) throw new Error(`${shown} is a file and no zip archive: readFile shows it`);
  const { fromBufferPromise, getFileNameLowLevel } = await import('yauzl');
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, autoClose: false, decodeStrings: false });
    // An error that comes after the last entry was asked for has no other listener.
    zip.on('error', () => undefined);
    const found = new Entries(area, parts);
    for await (const entry of zip.eachEntry()) {
      options.signal.throwIfAborted();
      if (zip.entriesRead > mostEntries) throw new Error(`it has more than ${mostEntries} entries`);
      found.add(entry, getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true));
    }
    return { bytes, zip, entries: found.entries, skipped: found.skipped };
  } catch (error) {
    options.signal.throwIfAborted();
    throw new Error(
      `the archive ${shown} cannot be read: ${error instanceof Error ? shownName(error.message) : 'damaged'}`,
    );
  }
}

class Entries {
  readonly entries: Map<string, Entry> = new Map();
  readonly skipped: string[] = [];
  readonly #names: Set<string> = new Set();
  readonly #area: Area;
  readonly #parts: readonly string[];

  constructor(area: Area, parts: readonly string[]) {
    this.#area = area;
    this.#parts = parts;
  }

  add(entry: Entry, name: string): void {
    if (name.endsWith('/') && this.#problem(entry, name.slice(0, -1)) === undefined) return;
    const problem = this.#problem(entry, name);
    this.#names.add(name);
    if (problem === undefined) this.entries.set(name, entry);
    else this.skipped.push(`${shownName(name)}: ${problem}`);
  }

  #problem(entry: Entry, name: string): string | undefined {
    const parts = name.split('/');
    if (spellingProblem(name) !== undefined || parts.some((part) => ['', '.', '..'].includes(part))) {
      return 'not a path inside of the archive';
    }
    if (parts.length > deepest) return `deeper than ${deepest} folders`;
    const problem = reachProblem(this.#area, [...this.#parts, ...parts]);
    if (problem !== undefined) return problem;
    if (!isPlain(entry)) return 'a link or a device, not followed';
    if (!this.#names.has(name)) return undefined;
    this.entries.delete(name);
    return 'two entries have this name';
  }
}

/** By the file type in the Unix mode, which archives of other systems leave at 0. */
function isPlain(entry: Entry): boolean {
  const type = (entry.externalFileAttributes >>> 28) & 0xf;
  return type === 0 || type === 0x8 || type === 0x4;
}
