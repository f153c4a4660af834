export {
  type EngineAddresses,
  type RestateHost,
  type RestateHostOptions,
  type RestateWorker,
  type RestateWorkerOptions,
  type ResultBlobs,
  restateHost,
  serveRestate,
} from './restate.ts';
export { limitsService, type RestateLimitsOptions, restateLimits } from './restate-limits.ts';
