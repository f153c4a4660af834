import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What the hub does wrong with the next requests of the file, one each. */
export type HubFault =
  | { type: 'status'; status: number }
  /** The connection is cut behind so many bytes of what was asked for. */
  | { type: 'cut'; after: number }
  | { type: 'silent' };

export interface FakeHubOptions {
  /** The file of every model. */
  content: Buffer;
  faults?: HubFault[];
  /** Whether it says the hash and the size beforehand, as a hub does for large files. Default true. */
  tells?: boolean;
  /** In place of the hash of the content. */
  claims?: string;
}

export interface FakeHub {
  url: string;
  /** Paths and ranges of the requests of the file's bytes, in order. */
  requests: { path: string; range: string | undefined; authorization: string | undefined }[];
  /** Publishes another file in its place. */
  replace(content: Buffer): void;
  close(): Promise<void>;
}

/** A hub of model files on loopback: a page of the hub redirects to a host of its own for bytes, which knows ranges and versions. */
export async function startFakeHub(options: FakeHubOptions): Promise<FakeHub> {
  const state = { content: options.content };
  const faults = [...(options.faults ?? [])];
  const requests: FakeHub['requests'] = [];
  const store = createServer((request, response) => {
    const { authorization, range } = request.headers;
    requests.push({ path: request.url ?? '', range, authorization });
    sendBytes(request, response, { content: state.content, fault: faults.shift() });
  });
  const storeUrl = await listening(store);
  const hub = createServer((request, response) => {
    const sha256 = options.claims ?? hash('sha256', state.content);
    const told = { 'x-linked-etag': `"${sha256}"`, 'x-linked-size': String(state.content.length) };
    const location = `${storeUrl}${request.url}?by=${request.headers.authorization === undefined ? 'anyone' : 'token'}`;
    response.writeHead(302, { location, ...(options.tells !== false && told) }).end();
  });
  const url = await listening(hub);
  return {
    url,
    requests,
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

function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { content, fault }: { content: Buffer; fault: HubFault | undefined },
): void {
  if (fault?.type === 'status') {
    response.writeHead(fault.status).end();
    return;
  }
  if (fault?.type === 'silent') return;
  const etag = `"${hash('md5', content)}"`;
  const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
  const from = asked !== undefined && request.headers['if-range'] === etag ? Number(asked) : 0;
  if (from >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const rest = content.subarray(from);
  const range = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length, etag, ...(from > 0 && range) });
  if (fault?.type === 'cut')
    response.write(rest.subarray(0, fault.after), () => setTimeout(() => response.destroy(), 20));
  else response.end(rest);
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
