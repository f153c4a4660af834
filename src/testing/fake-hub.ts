import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What the hub does wrong with the next requests of the file, one each. */
export type HubFault =
  | { type: 'status'; status: number }
  /** The connection is cut behind so many bytes of what was asked for. */
  | { type: 'cut'; after: number }
  /** So many bytes come, and then nothing, over a connection that stays open. 0: no answer at all. */
  | { type: 'silent'; after: number }
  /** A range of another place than was asked for. */
  | { type: 'misplaced' }
  /** Everything comes, in so many pieces with a pause of so many milliseconds before each. */
  | { type: 'slow'; pieces: number; everyMs: number };

export interface FakeHubOptions {
  /** The file of every model. */
  content: Buffer;
  faults?: HubFault[];
  /** Whether it says the hash and the size beforehand, as a hub does for large files. Default true. */
  tells?: boolean;
  /** In place of the hash of the content. */
  claims?: string;
  /** In place of its size. */
  claimsBytes?: number;
  /** What the hub itself answers with, in place of the way to the file. */
  refuses?: number;
  /** Whether what serves the bytes tells versions apart. Default true. */
  hasVersions?: boolean;
}

export interface FakeHub {
  url: string;
  /** Paths and ranges of the requests of the file's bytes, in order. */
  requests: { path: string; range: string | undefined; authorization: string | undefined }[];
  /** Requests of the hub itself. */
  asked: string[];
  /** Publishes another file in its place. */
  replace(content: Buffer): void;
  close(): Promise<void>;
}

/** A hub of model files on loopback: a page of the hub redirects to a host of its own for bytes, which knows ranges and versions. */
export async function startFakeHub(options: FakeHubOptions): Promise<FakeHub> {
  const { tells = true, hasVersions = true, refuses } = options;
  const state = { content: options.content };
  const faults = [...(options.faults ?? [])];
  const requests: FakeHub['requests'] = [];
  const asked: string[] = [];
  const store = createServer((request, response) => {
    const { authorization, range } = request.headers;
    requests.push({ path: request.url ?? '', range, authorization });
    sendBytes(request, response, { content: state.content, fault: faults.shift(), hasVersions });
  });
  const storeUrl = await listening(store);
  const hub = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (refuses !== undefined) {
      response.writeHead(refuses).end();
      return;
    }
    const told = {
      'x-linked-etag': `"${options.claims ?? hash('sha256', state.content)}"`,
      'x-linked-size': String(options.claimsBytes ?? state.content.length),
    };
    const location = `${storeUrl}${request.url}?by=${request.headers.authorization === undefined ? 'anyone' : 'token'}`;
    response.writeHead(302, { location, ...(tells && told) }).end();
  });
  const url = await listening(hub);
  return {
    url,
    requests,
    asked,
    replace: (content) => {
      state.content = content;
    },
    close: async () => {
      for (const server of [hub, store]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

interface Sending {
  content: Buffer;
  fault: HubFault | undefined;
  hasVersions: boolean;
}

function sendBytes(request: IncomingMessage, response: ServerResponse, { content, fault, hasVersions }: Sending): void {
  if (fault?.type === 'status') {
    response.writeHead(fault.status).end();
    return;
  }
  if (fault?.type === 'silent' && fault.after === 0) return;
  const etag = `"${hash('md5', content)}"`;
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
  const isSame = hasVersions && request.headers['if-range'] === etag;
  const wanted = asked !== undefined && isSame ? Number(asked) : 0;
  if (wanted >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const from = fault?.type === 'misplaced' ? wanted - 1 : wanted;
  const rest = content.subarray(from);
  const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': rest.length,
    ...(hasVersions && { etag }),
    ...(from > 0 && range),
  });
  sendBody(rest, response, fault);
}

function sendBody(rest: Buffer, response: ServerResponse, fault: HubFault | undefined): void {
  switch (fault?.type) {
    case 'cut':
      response.write(rest.subarray(0, fault.after), () => setTimeout(() => response.destroy(), 20));
      return;
    case 'silent':
      response.write(rest.subarray(0, fault.after));
      return;
    case 'slow':
      void sendSlowly(rest, response, fault);
      return;
    default:
      response.end(rest);
  }
}

async function sendSlowly(
  rest: Buffer,
  response: ServerResponse,
  { pieces, everyMs }: { pieces: number; everyMs: number },
): Promise<void> {
  const length = Math.ceil(rest.length / pieces);
  for (let start = 0; start < rest.length && !response.destroyed; start += length) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    response.write(rest.subarray(start, start + length));
  }
  response.end();
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
