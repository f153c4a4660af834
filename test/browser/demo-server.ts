/** `assay serve --demo` as a process of its own. */
import { freePorts } from '../../src/testing/restate-server.ts';
import type { Desk } from '../e2e/cli-process.ts';

export interface DemoServer {
  url: string;
  port: number;
  /** Ends the process as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface DemoOptions {
  /** Milliseconds that a scripted reply takes. */
  pace?: number;
  /** Default: one that is free. */
  port?: number;
}

/** The demo in the desk's folder; another one in the same folder goes on with its runs. */
export async function startDemo(desk: Desk, { pace = 15, port }: DemoOptions = {}): Promise<DemoServer> {
  const [free = 0] = port === undefined ? await freePorts(1) : [port];
  const args = ['serve', '--demo', '--json', '--pace', String(pace), '--port', String(free)];
  const { child, says, ended } = desk.start(args);
  await says('"resumed"');
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return { url: `http://127.0.0.1:${free}`, port: free, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}
