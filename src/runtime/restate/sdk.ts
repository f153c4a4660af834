import { UsageError } from '../../core/errors.ts';

export type Sdk = typeof import('@restatedev/restate-sdk');

/** The SDK of Restate, an optional peer: only a worker needs it. */
export async function loadSdk(): Promise<Sdk> {
  return import('@restatedev/restate-sdk').catch(() => {
    throw new UsageError(
      'a worker of Restate needs the package @restatedev/restate-sdk: run npm install @restatedev/restate-sdk',
    );
  });
}
