import { callWorker, WorkerError } from '../../process/call-worker.ts';
import type { SqlDatabase, SqlSettings } from './database.ts';
import type { SqliteRequest } from './sqlite-answer.ts';

/** Starting a process takes time that is not the statement's. */
const startMs = 1_000;
const busyMs = 2_000;
/** What was begun is taken back however little time the statement had. */
const recoverMs = 15_000;

/** A file as a database: each call is a process of its own, which is killed at the time limit and when the run is aborted. */
export function sqliteDatabase(file: string, settings: SqlSettings): SqlDatabase {
  const { timeoutMs, maxRows, maxBytes } = settings;
  const common = { file, limits: { maxRows, maxBytes }, busyMs: Math.min(busyMs, timeoutMs) };
  const call = async (request: SqliteRequest, signal: AbortSignal, workMs = timeoutMs): Promise<string> =>
    String(await callWorker('sqlite', request, { timeoutMs: workMs + startMs, signal }));
  return {
    query: (statement, signal) => call({ ...common, ...statement, type: 'query' }, signal).catch(explain),
    schema: (table, signal) =>
      call({ ...common, type: 'schema', ...(table !== undefined && { table }) }, signal).catch(explain),
    execute: (statement, signal) =>
      call({ ...common, ...statement, type: 'execute' }, signal).catch(async (error: unknown) => {
        if (error instanceof WorkerError && error.reason === 'failed') return explain(error);
        // A process that was ended in the middle leaves a journal that only a writer can take back.
        await call({ ...common, type: 'recover' }, new AbortController().signal, recoverMs).catch(() => undefined);
        if (!(error instanceof WorkerError)) throw error;
        throw new Error(`${explained(error, timeoutMs).message}. The change was taken back, unless it was just done`);
      }),
  };

  function explain(error: unknown): never {
    throw error instanceof WorkerError ? explained(error, timeoutMs) : error;
  }
}

function explained(error: WorkerError, timeoutMs: number): Error {
  switch (error.reason) {
    case 'timeout':
      return new Error(`no result within ${timeoutMs} ms, so the statement was ended: ask for less, or use an index`);
    case 'memory':
      return new Error('the statement needed too much memory and was ended: select, sort or join less');
    case 'failed':
      return new Error(`SQLite: ${error.message}`);
    default:
      return new Error(`the statement was ended: ${error.message}`);
  }
}
