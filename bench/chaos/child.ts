import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChaosWorkerOptions } from './worker.ts';

/** Starts a worker of its own process; resolves when it is ready or has ended. */
export async function startChaosWorker(options: ChaosWorkerOptions): Promise<ChildProcess> {
  const worker = spawn(
    process.execPath,
    [fileURLToPath(new URL('worker.ts', import.meta.url)), JSON.stringify(options)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await new Promise<void>((resolve) => {
    worker.stdout.once('data', () => resolve());
    worker.once('exit', () => resolve());
  });
  return worker;
}

/** `kill -9`; resolves when it is gone. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
