import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A server of `startPostgres` that a test takes away and brings back at the same address. Needs /proc. */
export interface PostgresOutage {
  /** Ends every process of the server as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on its data. */
  restart(): Promise<void>;
  /** Ends what `restart` started; before the server's own `close`. */
  close(): Promise<void>;
}

/** Learns from the running server how to start it again. */
export async function outageOf(url: string): Promise<PostgresOutage> {
  const client = new pg.Client(url);
  await client.connect();
  const folder = String((await client.query('SHOW data_directory')).rows[0]?.['data_directory']);
  await client.end();
  const pidOf = (): number => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const [program = '', ...args] = readFileSync(`/proc/${pidOf()}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const { uid, gid } = statSync(folder);
  const port = Number(new URL(url).port);
  let own = false;

  const kill = async (): Promise<void> => {
    const pid = pidOf();
    // No orderly shutdown: clients find their connections cut, and the next start recovers from the log.
    process.kill(pid, 'SIGQUIT');
    while (isAlive(pid)) await sleep(20);
  };
  return {
    kill,
    async restart() {
      own = true;
      const server = spawn(program, args, { uid, gid, cwd: folder, stdio: 'ignore' });
      // A test process that ends early must not leave the server behind.
      process.once('exit', () => server.kill('SIGQUIT'));
      while (!(await listens(port))) await sleep(20);
    },
    close: async () => {
      if (own) await kill();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
