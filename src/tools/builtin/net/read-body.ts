import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The body of a response, decompressed, up to `maxBytes`. */
interface Body {
  body: Uint8Array;
  truncated: boolean;
}

/** More than one is unheard of, and each costs memory before it has read a byte. */
const mostEncodings = 2;

/**
 * Reads a body and its content encoding (gzip, br, deflate) as a stream, so that neither a long body nor a small one that
 * inflates without end is ever held in memory. Throws when the encoding is unknown or broken, or the connection ends early.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A stream without an encoding or object mode yields bytes; leaving the loop destroys it.
  for await (const chunk of (await decompressed(response)) as AsyncIterable<Uint8Array>) {
    const room = maxBytes - size;
    chunks.push(chunk.subarray(0, room));
    size += Math.min(chunk.length, room);
    if (chunk.length > room) return { body: Buffer.concat(chunks), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

async function decompressed(response: IncomingMessage): Promise<Readable> {
  const encodings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > mostEncodings) throw new Error(`it is compressed ${encodings.length} times over`);
  let stream: Readable = response;
  for (const encoding of encodings.reverse()) stream = await through(stream, encoding);
  return stream;
}

async function through(source: Readable, encoding: string): Promise<Readable> {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return piped(source, createGunzip());
    case 'br':
      return piped(source, createBrotliDecompress());
    case 'deflate':
      return inflated(source);
    default:
      throw new Error(`its content encoding "${encoding.slice(0, 40)}" is not supported`);
  }
}

function piped(source: Readable, decoder: Transform): Readable {
  source.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => source.destroy());
  return source.pipe(decoder);
}

/** `deflate` means zlib data (RFC 9110, section 8.4.1.2), but some servers send them without the zlib header. */
async function inflated(source: Readable): Promise<Readable> {
  const rest = source[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done) return Readable.from([]);
  const hasHeader = (first.value[0] & 0x0f) === 8;
  return piped(Readable.from(startingWith(first.value, rest)), hasHeader ? createInflate() : createInflateRaw());
}

async function* startingWith(first: unknown, rest: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  yield first;
  yield* rest;
}
