import * as http2 from 'node:http2';

export interface Balancer {
  address: string;
  close(): Promise<void>;
}

/** The parts of a header that belong to one connection. */
const ofTheConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'te']);

/** A loopback HTTP/2 balancer: each request goes to the next backend that lives, and ends with it. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const backends = ports.map((port) => new Backend(port));
  const fronts = new Set<http2.ServerHttp2Session>();
  let turn = 0;
  const server = http2.createServer();
  server.on('session', (session) => {
    fronts.add(session);
    session.on('error', () => session.destroy());
    session.once('close', () => fronts.delete(session));
  });
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    for (let tries = 0; tries < backends.length; tries++) {
      const session = await backends[turn++ % backends.length]?.connected();
      if (session && !stream.destroyed) {
        forward(stream, headers, session);
        return;
      }
    }
    if (!stream.destroyed) stream.respond({ ':status': 503 }, { endStream: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of fronts) session.destroy();
      for (const backend of backends) backend.close();
      await closed;
    },
  };
}

class Backend {
  readonly #port: number;
  #session: http2.ClientHttp2Session | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** A connection that stands; undefined when nobody listens. */
  async connected(): Promise<http2.ClientHttp2Session | undefined> {
    if (this.#session && !this.#session.destroyed && !this.#session.closed) return this.#session;
    const session = http2.connect(`http://127.0.0.1:${this.#port}`);
    session.on('error', () => session.destroy());
    const stands = await new Promise<boolean>((resolve) => {
      session.once('connect', () => resolve(true));
      session.once('close', () => resolve(false));
    });
    if (!stands) return undefined;
    this.#session = session;
    return session;
  }

  close(): void {
    this.#session?.destroy();
  }
}

function forward(
  front: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  session: http2.ClientHttp2Session,
): void {
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.has(name)));
  const back = session.request(sent, { endStream: false });
  const fail = (): void => {
    if (!front.destroyed) front.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    if (!back.destroyed) back.close(http2.constants.NGHTTP2_CANCEL);
  };
  back.on('response', (answer) => {
    if (front.destroyed || front.headersSent) return;
    front.respond(Object.fromEntries(Object.entries(answer).filter(([name]) => !ofTheConnection.has(name))));
    back.pipe(front);
  });
  back.on('error', fail);
  // A connection that is lost ends its streams without an error of theirs.
  back.on('close', () => {
    if (back.rstCode !== http2.constants.NGHTTP2_NO_ERROR || session.destroyed) fail();
  });
  front.on('error', fail);
  front.on('aborted', fail);
  front.pipe(back);
}
