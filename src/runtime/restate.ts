/** The distributed host: a Restate server keeps the journals and hands the runs to workers. */
import { RestateHost, type RestateHostOptions } from './restate/restate-host.ts';

export type { EngineAddresses } from './restate/engine-api.ts';
export type { RestateHost, RestateHostOptions } from './restate/restate-host.ts';
export type { ResultBlobs } from './restate/run-log.ts';
export { type RestateWorker, type RestateWorkerOptions, serveRestate } from './restate/worker.ts';

/**
 * A durable host over a Restate server. It executes nothing itself: `serveRestate` does, in this process or in others. Throws
 * `StateError` when the server cannot be reached.
 */
export function restateHost(options: RestateHostOptions): RestateHost {
  return new RestateHost(options);
}
