/**
 * One file from a server, whole or not at all.
 *
 * 1. What has come is kept in `FILE.part` and gone on with by a range that is good only for the same version of the file (`If-Range`).
 * 2. The file gets its name after its length and its SHA-256 were held to what is known of it; one that differs is deleted.
 * 3. Dropped connections are tried again as long as something comes; a refusal (4xx) is not.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf, StateError } from '../../core/errors.ts';
import { sizeText } from './bytes.ts';
import { checkRoom, isFull, noRoom } from './disk-room.ts';
import { getStream, type StreamResponse } from './http-stream.ts';
import { PartFile } from './part-file.ts';

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
  /** Bytes that are to be expected where the server does not say; they are looked for on the disk, and not held to. */
  aboutBytes?: number | undefined;
  /** Where a human reads about the file and accepts its licence; named when the server wants a token. */
  page?: string | undefined;
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Hears why a try failed, before the next one. */
  onRetry?: ((why: string) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds before the first other try; each next one in vain waits twice as long. Default 500. */
  waitMs?: number | undefined;
  /** As `getStream` takes it. */
  silentMs?: number | undefined;
}

export interface Downloaded {
  sha256: string;
  bytes: number;
  /** What the hash was held to; undefined when nothing was known of it. */
  checkedAgainst: 'given' | 'server' | undefined;
}

/** What came is another file than the one that was asked for. */
export class OtherFileError extends StateError {}

/** As many tries in a row may bring nothing. */
const mostTries = 5;

/** Downloads the file. Throws `StateError` with what happened and what to do; what has come stays for the next time. */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  await mkdir(dirname(options.file), { recursive: true });
  const part = new PartFile(options.file);
  const firstWaitMs = options.waitMs ?? 500;
  // Tries in a row that brought nothing.
  let vain = 0;
  for (;;) {
    const before = part.bytes;
    try {
      return await finish(options, part, await fetchRest(options, part));
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof StateError) throw error;
      vain = part.bytes > before ? 0 : vain + 1;
      if (vain >= mostTries) throw gaveUp(options, part, error);
      options.onRetry?.(messageOf(error));
    }
    await pause(firstWaitMs * 2 ** vain, undefined, { signal: options.signal });
  }
}

/** What the server said of the whole file. */
interface Known {
  total: number | undefined;
  sha256: string | undefined;
}

async function fetchRest(options: DownloadOptions, part: PartFile): Promise<Known> {
  const { url, env, signal, silentMs } = options;
  const have = part.resumable(url);
  const range = have && { range: `bytes=${have.bytes}-`, 'if-range': have.etag };
  const response = await getStream(url, { env, signal, silentMs, headers: { ...options.headers, ...range } });
  try {
    return await take(response, options, part);
  } finally {
    response.body.destroy();
  }
}

/** Writes what the server sends behind what there is, or in its place. */
async function take(response: StreamResponse, options: DownloadOptions, part: PartFile): Promise<Known> {
  const { status, headers } = response;
  const have = part.resumable(options.url)?.bytes ?? 0;
  const [, start, size] = /^bytes (\*|\d+)(?:-\d+)?\/(\*|\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  const said = saidOf(response, Number(size));
  if (status === 416 && have > 0) {
    // All of it had come, and the process ended before it got its name.
    if (Number(size) === have) return said;
    part.remove();
    throw new Error('the server has another version of the file by now');
  }
  if (status !== 200 && status !== 206) throw refusal(status, options);
  if (status === 206 && Number(start) !== have) {
    part.remove();
    throw new Error('the server sent another part of the file than the one that was asked for');
  }
  const begins = status === 206 ? have : 0;
  checkRoom(options.file, (said.total ?? options.aboutBytes ?? 0) - begins);
  if (status === 200) part.begin(options.url, headers.etag);
  await write(response, { part, begins, total: said.total, options });
  return said;
}

function saidOf({ status, headers, redirects }: StreamResponse, rangeOf: number): Known {
  const linked = redirects.map((one) => Number(one['x-linked-size'])).find((bytes) => bytes > 0);
  const whole = status === 200 ? Number(headers['content-length']) : rangeOf;
  const hash = [...redirects, headers]
    .flatMap((one) => [one['x-linked-etag'], one.etag])
    .map((etag) => /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(String(etag ?? ''))?.[1])
    .find((found) => found !== undefined);
  return { total: linked ?? (whole > 0 ? whole : undefined), sha256: hash?.toLowerCase() };
}

interface Writing {
  part: PartFile;
  begins: number;
  total: number | undefined;
  options: DownloadOptions;
}

async function write(response: StreamResponse, { part, begins, total, options }: Writing): Promise<void> {
  let done = begins;
  options.onProgress?.({ done, total });
  response.body.on('data', (chunk: Buffer) => {
    done += chunk.length;
    options.onProgress?.({ done, total });
  });
  try {
    await pipeline(response.body, createWriteStream(part.path, { flags: begins > 0 ? 'a' : 'w' }), {
      signal: options.signal,
    });
  } catch (error) {
    if (isFull(error)) throw noRoom(options.file, (total ?? options.aboutBytes ?? done) - done);
    const broke = Reflect.get(Object(error), 'code') === 'ECONNRESET';
    throw broke ? new Error('the connection broke', { cause: error }) : error;
  }
  if (total !== undefined && done < total) throw new Error(`${done} of ${total} bytes came`);
}

async function finish({ file, sha256: given, url }: DownloadOptions, part: PartFile, said: Known): Promise<Downloaded> {
  const { bytes } = part;
  if (said.total !== undefined && bytes !== said.total) {
    throw otherFile(part, url, `it has ${bytes} bytes, and ${said.total} were announced`);
  }
  const sha256 = await sha256Of(part.path);
  const wanted = given?.toLowerCase() ?? said.sha256;
  if (wanted !== undefined && wanted !== sha256) {
    throw otherFile(part, url, `its SHA-256 is ${sha256}, and ${wanted} is wanted`);
  }
  await rename(part.path, file);
  part.forget();
  const checkedAgainst = given !== undefined ? 'given' : said.sha256 !== undefined ? 'server' : undefined;
  return { sha256, bytes: statSync(file).size, checkedAgainst };
}

function otherFile(part: PartFile, url: string, how: string): OtherFileError {
  part.remove();
  return new OtherFileError(
    `What came from ${url} is not the file that was asked for: ${how}. It was deleted. Try again, or name another source with --from.`,
  );
}

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1_048_576 })) hash.update(chunk);
  return hash.digest('hex');
}

function refusal(status: number, { url, page }: DownloadOptions): Error {
  const said = `${url} answers with HTTP ${status}`;
  if (status === 401 || status === 403) {
    return new StateError(
      `${said}: it wants to know who asks. Accept the licence on ${page ?? 'the page of the model'} and set HF_TOKEN, or name a mirror with --from.`,
    );
  }
  if (status === 404) {
    return new StateError(
      `${said}: the file is not there. Name a mirror with --from, or another model (assay models).`,
    );
  }
  if (status === 408 || status === 429 || status >= 500) return new Error(said);
  return new StateError(`${said}. Name another source with --from.`);
}

function gaveUp({ url }: DownloadOptions, part: PartFile, error: unknown): StateError {
  const { bytes } = part;
  const kept = bytes > 0 ? ` ${sizeText(bytes)} are kept and gone on with the next time.` : '';
  return new StateError(
    `${url} cannot be downloaded: ${messageOf(error)}.${kept} Check the network, a proxy (HTTPS_PROXY) or a mirror (--from), ` +
      'or get the file by other means and import it: assay models pull NAME --file PATH',
    { cause: error },
  );
}
