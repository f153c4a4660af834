/** A thread that ends the process when a call keeps the main thread busy: nothing in that thread could tell. */
import { Worker } from 'node:worker_threads';

const shownBytes = 4_096;

/** `watch` a call by its arguments, `undefined` at its end. `stop` ends the thread. */
export function startWatchdog(limitMs: number): { watch(text: string | undefined): void; stop(): Promise<unknown> } {
  const shared = new SharedArrayBuffer(8 + shownBytes);
  const state = new Int32Array(shared, 0, 2);
  const shown = new Uint8Array(shared, 8);
  const code = `
    const { workerData: { shared, limitMs, pid } } = require('node:worker_threads');
    const state = new Int32Array(shared, 0, 2);
    let seen = -1, since = Date.now();
    setInterval(() => {
      const call = Atomics.load(state, 0);
      if (call !== seen || call % 2 === 0) { seen = call; since = Date.now(); return; }
      if (Date.now() - since < limitMs) return;
      const text = Buffer.from(new Uint8Array(shared, 8, Atomics.load(state, 1)));
      require('node:fs').writeSync(2, 'hang: a call keeps the thread busy for ' + limitMs + ' ms\\n  arguments: ' + JSON.stringify(text.toString()) + '\\n');
      process.kill(pid, 'SIGKILL');
    }, 250);`;
  const worker = new Worker(code, { eval: true, execArgv: [], workerData: { shared, limitMs, pid: process.pid } });
  worker.unref();
  return {
    watch(text) {
      if (text !== undefined) Atomics.store(state, 1, new TextEncoder().encodeInto(text, shown.subarray()).written);
      // Odd while a call runs.
      Atomics.add(state, 0, 1);
    },
    stop: () => worker.terminate(),
  };
}
