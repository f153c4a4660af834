/** A Restate server for tests, from the binary inside the npm package `@restatedev/restate-server`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';

export interface RestateServer {
  /** Where runs are started and signalled, `http://127.0.0.1:port`. */
  ingress: string;
  /** Where workers are registered and runs are queried. */
  admin: string;
  pid(): number | undefined;
  /** Ends the server at once, as a power cut of the process would, and starts it again over the same data and ports. */
  killAndRestart(): Promise<void>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

/** The binary itself: to end the program that npm puts in front of it would leave the server running. */
function binary(): string | undefined {
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of the server's, so it is looked for from there.
    const fromServer = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'));
    const file = path.join(path.dirname(fromServer.resolve(`${platform}/package.json`)), 'bin', 'restate-server');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Why a server cannot be started here; undefined when it can. */
export function noRestate(): string | undefined {
  if (binary() !== undefined) return undefined;
  return `the Restate server is not installed for ${process.platform} ${process.arch} (npm install @restatedev/restate-server)`;
}

export interface RestateServerOptions {
  /** Where the data stays when the server is closed. Default: a temporary folder, which goes with it. */
  folder?: string;
  /** Of 127.0.0.1. Default: free ones. */
  ports?: RestatePorts;
}

interface RestatePorts {
  /** For the nodes of a cluster among themselves. */
  node: number;
  ingress: number;
  admin: number;
}

/** Starts a server on loopback ports. Throws when `noRestate` gives a reason. */
export async function startRestate(options: RestateServerOptions = {}): Promise<RestateServer> {
  const program = binary();
  if (program === undefined) throw new Error(noRestate());
  const { folder = mkdtempSync(path.join(os.tmpdir(), 'assay-restate-')), ports = await threePorts() } = options;
  mkdirSync(folder, { recursive: true });
  const log = path.join(folder, 'server.log');
  const ingress = `http://127.0.0.1:${ports.ingress}`;
  const admin = `http://127.0.0.1:${ports.admin}`;
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const file = openSync(log, 'a');
    server = spawn(program, ['--base-dir', folder, '--node-name', 'assay'], {
      env: settings(ports),
      cwd: folder,
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    await ready(server, [`${admin}/health`, `${ingress}/restate/health`], log);
  };
  const endWithProcess = (): boolean => server?.kill('SIGKILL') ?? false;
  const close = async (): Promise<void> => {
    await kill(server);
    process.off('exit', endWithProcess);
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  // A test process that ends early must not leave the server behind.
  process.once('exit', endWithProcess);
  await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const killAndRestart = async (): Promise<void> => {
    await kill(server);
    await start();
  };
  return { ingress, admin, pid: () => server?.pid, killAndRestart, close };
}

async function threePorts(): Promise<RestatePorts> {
  const [node = 0, ingress = 0, admin = 0] = await freePorts(3);
  return { node, ingress, admin };
}

/** Small, quick to retry, on loopback only, and silent towards its makers. */
function settings(ports: RestatePorts): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(ports.node),
    RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
    RESTATE_ADMIN__BIND_PORT: String(ports.admin),
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128MB',
    RESTATE_DEFAULT_NUM_PARTITIONS: '4',
    RESTATE_LOG_FILTER: 'warn',
    RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
    RESTATE_SHUTDOWN_TIMEOUT: '1s',
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '5s',
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '5s',
  };
}

/** Ports of 127.0.0.1 that nobody listened at just now. */
export async function freePorts(count: number): Promise<number[]> {
  // All are held until the last is found, so that no two are the same.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1');
    ports.push(address.port);
  }
  await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))));
  return ports;
}

async function ready(server: ChildProcess, addresses: readonly string[], log: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const answers = await Promise.all(
      addresses.map((address) =>
        fetch(address).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    );
    if (answers.every(Boolean)) return;
    if (server.exitCode !== null || server.signalCode !== null || Date.now() > deadline) {
      throw new Error(`the Restate server did not become ready: ${readFileSync(log, 'utf8').slice(-2000)}`);
    }
    await new Promise((settle) => setTimeout(settle, 25));
  }
}

async function kill(server: ChildProcess | undefined): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}
