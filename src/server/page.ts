/**
 * The built files of a page, served as they are.
 *
 * 1. What is served was a regular file of a known type when the server was made, and was read then. No address reaches the file system,
 *    so none leaves the folder; hidden files, links and what lies behind them are not served.
 * 2. The page runs under a policy by which it loads its own files and talks to its own server, and does nothing else.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** On every file of the page, in place of those that are for an API. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
const compressible = /^(text\/|application\/|image\/svg)/;
const leastBytes = 1_024;

/** A name that means itself in an address and hides nothing. */
const plainName = /^[\w-][\w.-]*$/;
/** As a bundler names a file by its content. */
const hashed = /^\/assets\/(.*\/)?[^/]+-[\w-]{8}\.\w+$/;

interface PageFile {
  type: string;
  body: Uint8Array<ArrayBuffer>;
  /** Weak: the same for the file in any encoding. */
  tag: string;
  cache: string;
}

type Encoding = 'br' | 'gzip';

const encoders: Readonly<Record<Encoding, (body: Uint8Array) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
};

export class Page {
  /** By address, `/` and `/assets/index-4f2a.js`. */
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #encoded = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  constructor({ folder }: { folder: string }) {
    const files = new Map(filesOf(folder, ''));
    const index = files.get('/index.html');
    files.delete('/index.html');
    this.#files = index ? files.set('/', index) : new Map([['/', notBuilt]]);
  }

  get addresses(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** The file at one of the addresses. */
  async answer(address: string, request: Request): Promise<Response> {
    const file = this.#files.get(address);
    if (!file) throw new Error(`the page has no ${address}`);
    const isPage = file !== notBuilt;
    const headers = { etag: file.tag, 'cache-control': file.cache, vary: 'accept-encoding' };
    if (isPage && request.headers.get('if-none-match')?.includes(file.tag))
      return new Response(null, { status: 304, headers });
    const encoding = encodingFor(file, request.headers.get('accept-encoding') ?? '');
    const body = encoding ? await this.#encode(address, file, encoding) : file.body;
    return new Response(body, {
      status: isPage ? 200 : 404,
      headers: { ...headers, 'content-type': file.type, ...(encoding && { 'content-encoding': encoding }) },
    });
  }

  #encode(address: string, { body }: PageFile, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
    const key = `${encoding} ${address}`;
    const encoded = this.#encoded.get(key) ?? encoders[encoding](body).then((bytes) => new Uint8Array(bytes));
    this.#encoded.set(key, encoded);
    return encoded;
  }
}

const notBuilt: PageFile = fileOf(
  '/not-built.txt',
  Buffer.from(
    'The page is not built.\nIn a clone, build it with `npm run web:build`; in an installation, install assay again. Then start the server again.\n',
  ),
);

/** The files of the folder and those below it, by address; none where there is no such folder. */
function filesOf(folder: string, address: string): [string, PageFile][] {
  let entries: ReturnType<typeof namesIn>;
  try {
    entries = namesIn(folder);
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter(({ name }) => plainName.test(name))
    .flatMap((entry): [string, PageFile][] => {
      const { name } = entry;
      if (entry.isDirectory()) return filesOf(join(folder, name), `${address}/${name}`);
      // A link is neither a file nor a folder here.
      if (!entry.isFile() || !Object.hasOwn(types, extname(name))) return [];
      const place = `${address}/${name}`;
      return [[place, fileOf(place, readFileSync(join(folder, name)))]];
    });
}

function namesIn(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function fileOf(address: string, body: Buffer<ArrayBuffer>): PageFile {
  return {
    type: types[extname(address)] ?? 'application/octet-stream',
    body,
    tag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    cache: hashed.test(address) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

/** What of the encodings that a client takes is sent; brotli before gzip. */
function encodingFor({ type, body }: PageFile, accepted: string): Encoding | undefined {
  if (!compressible.test(type) || body.length < leastBytes) return undefined;
  const taken = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim()))
    .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ''))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((encoding) => taken.includes(encoding));
}
