/**
 * One file from a server, whole or not at all.
 *
 * 1. What has come is kept in `FILE.part` and gone on with by a range that is good only for the same version of the file (`If-Range`).
 * 2. The file gets its name after its length and its SHA-256 were held to what is known of it; one that differs is deleted.
 * 3. Dropped connections are tried again as long as something comes; a refusal (4xx) is not.
 */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, StateError } from '../../core/errors.ts';
import { sizeText } from './bytes.ts';
import { getStream, type StreamResponse } from './http-stream.ts';

export interface DownloadProgress {
  /** Bytes that are here. */
  done: number;
  /** Bytes of the whole file, where they are known. */
  total: number | undefined;
}

export interface DownloadOptions {
  url: string;
  file: string;
  env: NodeJS.ProcessEnv;
  headers?: Readonly<Record<string, string>>;
  /** The SHA-256 the file has to have, in hexadecimal. Without, what the server says of it, where it does. */
  sha256?: string | undefined;
  onProgress?(progress: DownloadProgress): void;
  signal?: AbortSignal | undefined;
  /** Milliseconds before the first other try; each next one waits twice as long. Default 500. */
  waitMs?: number;
}

export interface Downloaded {
  sha256: string;
  bytes: number;
  /** What the hash was held to; undefined when nothing was known of it. */
  checkedAgainst: 'given' | 'server' | undefined;
}

/** As many tries in a row may bring nothing. */
const mostTries = 5;
/** Room that is left on the disk. */
const spare = 64_000_000;

/** Downloads the file. Throws `StateError` with what happened and what to do; what has come stays for the next time. */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  await mkdir(dirname(options.file), { recursive: true });
  const firstWaitMs = options.waitMs ?? 500;
  // Tries in a row that brought nothing.
  let vain = 0;
  for (;;) {
    const before = sizeOf(partOf(options.file));
    try {
      return await finish(options, await fetchRest(options));
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof StateError) throw error;
      vain = sizeOf(partOf(options.file)) > before ? 0 : vain + 1;
      if (vain >= mostTries) throw gaveUp(options, error);
    }
    await pause(firstWaitMs * 2 ** vain, undefined, { signal: options.signal });
  }
}

/** What the server said of the whole file. */
interface Known {
  total: number | undefined;
  sha256: string | undefined;
}

async function fetchRest(options: DownloadOptions): Promise<Known> {
  const { url, file, env, signal } = options;
  const part = partOf(file);
  const noted = readNote(file);
  const have = noted?.url === url ? sizeOf(part) : 0;
  const range = have > 0 && noted?.etag ? { range: `bytes=${have}-`, 'if-range': noted.etag } : undefined;
  const response = await getStream(url, { env, signal, headers: { ...options.headers, ...range } });
  const known = knownOf(response, have);
  if (response.status === 416 && have > 0) {
    response.body.resume();
    // All of it had come, and the process ended before it got its name.
    if (response.headers['content-range'] === `bytes */${have}`) return { ...known, total: have };
    rmSync(part, { force: true });
    throw new Error('the server has another version of the file by now');
  }
  if (response.status !== 200 && response.status !== 206) {
    response.body.resume();
    throw refusal(response.status, options);
  }
  const begins = response.status === 206 ? have : 0;
  checkRoom(file, (known.total ?? 0) - begins);
  const etag = response.redirects.map((headers) => headers['x-linked-etag']).find(Boolean) ?? response.headers.etag;
  writeFileSync(noteOf(file), JSON.stringify({ url, etag: response.headers.etag ?? etag }));
  await write(response, { part, begins, known, options });
  return known;
}

function knownOf({ status, headers, redirects }: StreamResponse, have: number): Known {
  const range = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  const length = Number(headers['content-length']);
  const linked = redirects.map((one) => Number(one['x-linked-size'])).find((size) => size > 0);
  const whole = status === 206 ? (range === undefined ? have + length : Number(range)) : length;
  const hash = [...redirects, headers]
    .flatMap((one) => [one['x-linked-etag'], one.etag])
    .map((etag) => /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(String(etag ?? ''))?.[1])
    .find((found) => found !== undefined);
  return { total: linked ?? (whole > 0 ? whole : undefined), sha256: hash?.toLowerCase() };
}

interface Writing {
  part: string;
  begins: number;
  known: Known;
  options: DownloadOptions;
}

async function write(response: StreamResponse, { part, begins, known, options }: Writing): Promise<void> {
  let done = begins;
  const { total } = known;
  options.onProgress?.({ done, total });
  response.body.on('data', (chunk: Buffer) => {
    done += chunk.length;
    options.onProgress?.({ done, total });
  });
  try {
    await pipeline(response.body, createWriteStream(part, { flags: begins > 0 ? 'a' : 'w' }), {
      signal: options.signal,
    });
  } catch (error) {
    throw isFull(error) ? noRoom(options.file, (total ?? 0) - done) : error;
  }
  if (total !== undefined && done !== total) throw new Error(`${done} of ${total} bytes came`);
}

async function finish({ file, sha256: given, url }: DownloadOptions, known: Known): Promise<Downloaded> {
  const part = partOf(file);
  const sha256 = await sha256Of(part);
  const wanted = given?.toLowerCase() ?? known.sha256;
  if (wanted !== undefined && wanted !== sha256) {
    rmSync(part, { force: true });
    rmSync(noteOf(file), { force: true });
    throw new StateError(
      `What came from ${url} is not the file that was asked for: its SHA-256 is ${sha256}, and ${wanted} is wanted. It was deleted. ` +
        'Try again, or name another source with --from.',
    );
  }
  await rename(part, file);
  rmSync(noteOf(file), { force: true });
  return {
    sha256,
    bytes: statSync(file).size,
    checkedAgainst: given !== undefined ? 'given' : known.sha256 !== undefined ? 'server' : undefined,
  };
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Throws `StateError` when a file of so many bytes has no room in the folder of `file`. */
export function checkRoom(file: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(file));
  if (bavail * bsize < bytes + spare) throw noRoom(file, bytes);
}

function noRoom(file: string, bytes: number): StateError {
  const { bavail, bsize } = statfsSync(dirname(file));
  return new StateError(
    `${sizeText(bytes)} are to come, and ${dirname(file)} has room for ${sizeText(bavail * bsize)}. ` +
      'Make room, or name a folder on another disk with ASSAY_CACHE.',
  );
}

function isFull(error: unknown): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function refusal(status: number, { url }: DownloadOptions): Error {
  const said = `${url} answers with HTTP ${status}`;
  if (status === 401 || status === 403) {
    return new StateError(
      `${said}. Accept the licence on the page of the model and set HF_TOKEN, or name a mirror with --from.`,
    );
  }
  if (status === 404)
    return new StateError(`${said}: the file is not there any more. Name a mirror with --from, or another model.`);
  if (status === 408 || status === 429 || status >= 500) return new Error(said);
  return new StateError(`${said}. Name another source with --from.`);
}

function gaveUp({ url, file }: DownloadOptions, error: unknown): StateError {
  const have = sizeOf(partOf(file));
  const kept = have > 0 ? ` ${sizeText(have)} are kept and gone on with the next time.` : '';
  return new StateError(
    `${url} cannot be downloaded: ${messageOf(error)}.${kept} Check the network, a proxy (HTTPS_PROXY) or a mirror (--from), ` +
      'or get the file by other means and import it: assay models pull NAME --file PATH',
    { cause: error },
  );
}

/** What of a file has come so far. */
export function partOf(file: string): string {
  return `${file}.part`;
}

function noteOf(file: string): string {
  return `${file}.part.json`;
}

function readNote(file: string): { url?: unknown; etag?: string } | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(noteOf(file), 'utf8'));
    if (typeof note !== 'object' || note === null) return undefined;
    const etag: unknown = Reflect.get(note, 'etag');
    return { url: Reflect.get(note, 'url'), ...(typeof etag === 'string' && { etag }) };
  } catch {
    return undefined;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
