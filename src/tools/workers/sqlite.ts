/**
 * One statement in SQLite. It runs in a second thread, since native code holds a thread until it is done; the first thread ends
 * the process when the memory grows beyond its limit. The time limit is that of `callWorker`.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../../core/errors.ts';
import { answerSqlite, type SqliteRequest } from '../builtin/sql/sqlite-answer.ts';
import { serveWorker } from '../process/serve-worker.ts';

const maxMemory = 512 * 1024 * 1024;
const lookMs = 20;

if (isMainThread) await serveWorker(answerInThread);
// Data of our own main thread, below.
else parentPort?.postMessage(settled(workerData as SqliteRequest));

type Settled = { value: string } | { error: string };

async function answerInThread(request: unknown): Promise<string> {
  const thread = new Worker(new URL(import.meta.url), { workerData: request });
  const watch = setInterval(endWhenTooLarge, lookMs);
  const [answer] = (await once(thread, 'message')) as [Settled];
  clearInterval(watch);
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}

function settled(request: SqliteRequest): Settled {
  try {
    return { value: answerSqlite(request) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function endWhenTooLarge(): void {
  if (process.memoryUsage.rss() <= maxMemory) return;
  // How V8 says it, and how `callWorker` knows it.
  writeSync(2, 'heap out of memory');
  process.kill(process.pid, 'SIGKILL');
}
