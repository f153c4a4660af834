import { Writable } from 'node:stream';
import { type McpServerOptions, mcpServer } from './mcp-server.ts';
import { loadServerSdk } from './sdk.ts';

/**
 * Serves one client on standard input and output until it hangs up; nothing is cancelled then. Standard output belongs to the protocol
 * meanwhile: what tools or libraries print goes to standard error. Close the agent afterwards; runs that were live resume later.
 */
export async function serveMcpStdio(options: McpServerOptions): Promise<void> {
  const { StdioServerTransport } = await loadServerSdk();
  const server = await mcpServer(options);
  const stdout = takeStdout();
  const closed = new Promise<void>((resolve) => {
    const { onclose } = server.server;
    server.server.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  const hangUp = (): void => void server.close();
  // Only the client ends the one, and a client that is gone breaks the other.
  process.stdin.once('end', hangUp).once('close', hangUp);
  stdout.stream.once('error', hangUp);
  try {
    await server.connect(new StdioServerTransport(process.stdin, stdout.stream));
    await closed;
  } finally {
    process.stdin.off('end', hangUp).off('close', hangUp);
    stdout.giveBack();
  }
}

/** The real standard output as a stream, while `process.stdout` writes to standard error. */
function takeStdout(): { stream: Writable; giveBack(): void } {
  const { stdout, stderr } = process;
  const own = stdout.write;
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => void own.call(stdout, chunk, encoding, done),
  });
  // The overloads of `write` are the same on both streams.
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const broken = (error: Error): void => void stream.destroy(error);
  stdout.once('error', broken);
  return {
    stream,
    giveBack: () => {
      stdout.write = own;
      stdout.off('error', broken);
    },
  };
}
