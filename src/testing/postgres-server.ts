/** A PostgreSQL server for tests, from the programs that are installed on this machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';

export interface PostgresServer {
  /** Of a superuser without a password, for 127.0.0.1. */
  url: string;
  /** The same as another role, or for another database. */
  urlOf(part: { user?: string; password?: string; database?: string }): string;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

/** Where `initdb` and `postgres` are: the newest version of Debian's layout, else of the path. */
function programs(): string | undefined {
  const versions = globSync('/usr/lib/postgresql/*/bin').sort(
    (a, b) => Number(b.split('/')[4]) - Number(a.split('/')[4]),
  );
  const folders = [...versions, ...(process.env['PATH'] ?? '').split(path.delimiter)];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name))));
}

/** Why a server cannot be started here; undefined when it can. */
export function noPostgres(): string | undefined {
  if (programs() === undefined) return 'no PostgreSQL server is installed (initdb and postgres were not found)';
  return process.getuid?.() === 0 && unprivileged() === undefined
    ? 'PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as'
    : undefined;
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim());
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/** Starts a server with an empty cluster in a temporary folder. Throws when `noPostgres` gives a reason. */
export async function startPostgres(): Promise<PostgresServer> {
  const reason = noPostgres();
  const bin = programs();
  if (reason !== undefined || bin === undefined) throw new Error(reason);
  const owner = unprivileged();
  const data = await mkdtemp(path.join(os.tmpdir(), 'assay-postgres-'));
  if (owner) await chown(data, owner.uid, owner.gid);
  const made = spawnSync(
    path.join(bin, 'initdb'),
    ['-D', data, '-U', 'assay', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    { ...owner, cwd: data, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = [`listen_addresses=127.0.0.1`, `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(path.join(bin, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...owner,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // A test process that ends early must not leave the server behind.
  const endWithProcess = (): boolean => server.kill('SIGINT');
  process.once('exit', endWithProcess);
  const close = async (): Promise<void> => {
    await ended(server);
    process.off('exit', endWithProcess);
    await rm(data, { recursive: true, force: true });
  };
  await ready(server).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const urlOf: PostgresServer['urlOf'] = ({ user = 'assay', password, database = 'postgres' }) =>
    `postgresql://${user}${password === undefined ? '' : `:${encodeURIComponent(password)}`}@127.0.0.1:${port}/${database}`;
  return { url: urlOf({}), urlOf, close };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.address();
  await new Promise((settle) => server.close(settle));
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1');
  return address.port;
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((settle, reject) => {
    let log = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      log += String(chunk);
      if (log.includes('ready to accept connections')) settle();
    });
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`postgres ended: ${log}`)));
  });
}

/** The fast shutdown of PostgreSQL: running transactions are ended. */
async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((settle) => server.once('exit', settle));
  server.kill('SIGINT');
  await exit;
}
