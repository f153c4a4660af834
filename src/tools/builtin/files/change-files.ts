/** The effects on files: each reads what it replaces, refuses a lost update, and tells what it did. */
import { unlink } from 'node:fs/promises';
import type { Reconciled } from '../../tool.ts';
import { type Area, locateNew, type Place } from './area.ts';
import { type FileText, fileBytes, fileText } from './file-text.ts';
import { type Folder, inFolder, NotFoundError } from './folder.ts';
import { type FileContent, readChild } from './read-bytes.ts';
import { digest } from './read-file.ts';
import { replaceFile, requireUnchanged } from './replace-file.ts';
import { systemCode } from './system-code.ts';

export interface ChangeOptions {
  /** Of a file that is read to be changed, and of what comes of it. */
  maxFileBytes: number;
  signal: AbortSignal;
}

interface Expectation {
  path: string;
  /** The beginning of the SHA-256 that the file must have. */
  expectSha256?: string | undefined;
}

export interface WriteWish extends Expectation {
  content: string;
  mode: 'create' | 'overwrite' | 'append';
}

export interface EditWish extends Expectation {
  oldText: string;
  newText: string;
}

/** Writes a file and says how much, and what it replaced. */
export async function writeText(area: Area, wish: WriteWish, options: ChangeOptions): Promise<string> {
  const { place, folders, name } = target(area, wish.path);
  const added = encoded(wish.content, place);
  const { mode } = wish;
  // A path of missing folders is made only for a file that may be new.
  const create = mode !== 'overwrite' && wish.expectSha256 === undefined;
  return inFolder(
    area,
    folders,
    async (folder) => {
      const before = await contentIfAny(area, folder, { name, maxBytes: options.maxFileBytes });
      checkMode(mode, before, place);
      checkExpected(wish, before, place);
      const bytes = mode === 'append' && before ? Buffer.concat([before.bytes, added]) : added;
      checkSize(bytes, place, options.maxFileBytes);
      await replaceFile(folder, { name, bytes, replaced: before?.stats, signal: options.signal });
      return `${place.shown}: ${described(bytes)} written; ${before ? `it had ${described(before.bytes)}` : 'it is new'}`;
    },
    { create },
  );
}

/** Replaces one piece of text, which must stand in the file exactly once. Encoding, byte order mark and line ends stay as they are. */
export async function editText(area: Area, wish: EditWish, options: ChangeOptions): Promise<string> {
  const { place, folders, name } = target(area, wish.path);
  return inFolder(area, folders, async (folder) => {
    const before = await readChild(area, folder, name, options.maxFileBytes);
    checkExpected(wish, before, place);
    const text = fileText(before.bytes);
    if ('refused' in text) throw new Error(`${place.shown}: ${text.refused}`);
    if (!fileBytes(text).equals(before.bytes)) throw new Error(`${place.shown} is damaged text: use writeFile`);
    const edited = replacedOnce(text, wish, place);
    const bytes = fileBytes({ ...text, text: edited.text });
    checkSize(bytes, place, options.maxFileBytes);
    await replaceFile(folder, { name, bytes, replaced: before.stats, signal: options.signal });
    return `${place.shown}: edited at line ${edited.line}; ${described(bytes)} written; it had ${described(before.bytes)}`;
  });
}

/** Deletes a file and says what it was. */
export async function deleteOne(area: Area, wish: Expectation, options: ChangeOptions): Promise<string> {
  const { place, folders, name } = target(area, wish.path);
  return inFolder(area, folders, async (folder) => {
    const before = await readChild(area, folder, name, options.maxFileBytes);
    checkExpected(wish, before, place);
    options.signal.throwIfAborted();
    await requireUnchanged(folder, { name, replaced: before.stats });
    await folder.confirm();
    await unlink(folder.at(name)).catch((error: unknown) => {
      throw new Error(`${place.shown} could not be deleted (${systemCode(error)})`);
    });
    return `${place.shown}: deleted; it had ${described(before.bytes)}`;
  });
}

/** Whether a write that a crash interrupted has happened: it is one act, so the file tells. */
export async function reconcileWrite(area: Area, wish: WriteWish, options: ChangeOptions): Promise<Reconciled> {
  const { place, folders, name } = target(area, wish.path);
  const wanted = encoded(wish.content, place);
  const find = (folder: Folder) => contentIfAny(area, folder, { name, maxBytes: options.maxFileBytes });
  const now = await inFolder(area, folders, find).catch((error: unknown) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  if (!now) return { happened: false };
  const written = { happened: true, result: `${place.shown}: ${described(now.bytes)} written` } as const;
  const isExpected = (bytes: Uint8Array) => wish.expectSha256 !== undefined && fits(bytes, wish.expectSha256);
  if (wish.mode === 'append') {
    if (now.bytes.subarray(-wanted.length).equals(wanted) && wanted.length > 0) {
      const before = now.bytes.subarray(0, now.bytes.length - wanted.length);
      return isExpected(before)
        ? written
        : unknown(`${place.shown} ends with the text, which may have stood there before`);
    }
  } else if (now.bytes.equals(wanted)) return written;
  else if (wish.mode === 'create') return unknown(`${place.shown} exists with another content`);
  return wish.expectSha256 === undefined || isExpected(now.bytes)
    ? { happened: false }
    : unknown(`${place.shown} has neither the content before nor the one after`);
}

/** Whether a deletion that a crash interrupted has happened. */
export async function reconcileDelete(area: Area, wish: Expectation, options: ChangeOptions): Promise<Reconciled> {
  const { place, folders, name } = target(area, wish.path);
  try {
    await inFolder(area, folders, (folder) => readChild(area, folder, name, options.maxFileBytes));
    return { happened: false };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return { happened: true, result: `${place.shown}: deleted` };
  }
}

function unknown(detail: string): Reconciled {
  return { happened: 'unknown', detail };
}

function target(area: Area, named: string): { place: Place; folders: readonly string[]; name: string } {
  const place = locateNew(area, named);
  return { place, folders: place.parts.slice(0, -1), name: place.parts.at(-1) ?? '' };
}

function encoded(content: string, place: Place): Buffer {
  if (!content.isWellFormed()) throw new Error(`${place.shown}: the text holds half of a character: send it again`);
  return Buffer.from(content, 'utf8');
}

async function contentIfAny(
  area: Area,
  folder: Folder,
  file: { name: string; maxBytes: number },
): Promise<FileContent | undefined> {
  try {
    return await readChild(area, folder, file.name, file.maxBytes);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function checkMode(mode: WriteWish['mode'], before: FileContent | undefined, { shown }: Place): void {
  if (mode === 'create' && before)
    throw new Error(`${shown} exists: use mode overwrite to replace it, or another name`);
  if (mode === 'overwrite' && !before) throw new Error(`${shown} does not exist: use mode create for a new file`);
  if (mode === 'append' && before && !isUtf8(before.bytes)) {
    throw new Error(`${shown} is no UTF-8 text, to which nothing can be appended: use mode overwrite`);
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  const text = fileText(bytes);
  return !('refused' in text) && text.encoding === 'utf-8';
}

function checkExpected(wish: Expectation, before: FileContent | undefined, { shown }: Place): void {
  if (wish.expectSha256 === undefined || (before && fits(before.bytes, wish.expectSha256))) return;
  const now = before ? `has ${described(before.bytes)}` : 'does not exist';
  throw new Error(`${shown} ${now}, which is not the file that was expected: read it again`);
}

function fits(bytes: Uint8Array, expected: string): boolean {
  return digest(bytes, expected.length) === expected;
}

function checkSize(bytes: Uint8Array, { shown }: Place, maxFileBytes: number): void {
  if (bytes.length <= maxFileBytes) return;
  throw new Error(`${shown} would have ${bytes.length} bytes, more than the limit of ${maxFileBytes}: write less`);
}

function described(bytes: Uint8Array): string {
  return `${bytes.length} bytes (sha256 ${digest(bytes)})`;
}

function replacedOnce(file: FileText, wish: EditWish, { shown }: Place): { text: string; line: number } {
  const { text } = file;
  // The model sees every line end as \n.
  const isWindows = text.includes('\r\n') && !text.includes(wish.oldText);
  const own = (piece: string) => (isWindows ? piece.replace(/\r?\n/g, '\r\n') : piece);
  const [oldText, newText] = [own(wish.oldText), own(wish.newText)];
  if (!newText.isWellFormed()) throw new Error(`${shown}: newText holds half of a character: send it again`);
  const at = text.indexOf(oldText);
  if (at < 0) throw new Error(`${shown} does not hold oldText: copy it exactly from readFile, with all blanks`);
  if (text.includes(oldText, at + 1)) {
    throw new Error(`${shown} holds oldText more than once: add lines around it until it is unique`);
  }
  return { text: text.slice(0, at) + newText + text.slice(at + oldText.length), line: lineAt(text, at) };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n?|\n/).length;
}
