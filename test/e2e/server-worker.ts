/** A server in a process of its own, to be killed: `SERVER_FILE` is its store, `SERVER_PORT` its port. It says its address on stdout. */
import { startServer } from './server-fixture.ts';

if (process.env['SERVER_WORKER']) {
  const { url } = await startServer({
    file: String(process.env['SERVER_FILE']),
    listen: { port: Number(process.env['SERVER_PORT'] ?? 0), signals: ['SIGTERM'] },
  });
  process.stdout.write(`listening ${url}\n`);
}
