/** A worker that serves the chaos agent until it is killed: `node worker.ts '{"effects":…,"stepMs":…,"ingress":…,"admin":…,"port":…}'`. */
import { serveRestate } from '../../src/runtime/restate.ts';
import { chaosAgent } from './agent.ts';

export interface ChaosWorkerOptions {
  effects: string;
  stepMs: number;
  ingress: string;
  admin: string;
  port: number;
  /** Announce it to the engine; not behind a balancer that was announced. */
  announce: boolean;
}

// Written by whoever started this process.
const options = JSON.parse(process.argv[2] ?? '{}') as ChaosWorkerOptions;
const { ingress, admin, port, announce } = options;
await serveRestate({ workflows: [chaosAgent(options)], ingress, admin, announce, listen: { port }, retryMs: 50 });
process.stdout.write('ready\n');
