import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { folderBlobs } from '../../src/runtime/blobs/folder-blobs.ts';
import { durableContract } from '../../src/testing/durable-contract.ts';
import { freePorts, noRestate, type RestateServer, startRestate } from '../../src/testing/restate-server.ts';
import { EmbeddedRestate } from './restate-embedded-worker.ts';

const reason = noRestate();
let server: RestateServer | undefined;
let ports: number[] = [];

const skip = {
  'a recorded step is not executed again after a restart':
    'its run may be over before it is resumed the second time; restate-host.test.ts holds it there',
  'a signal written where the workflow is unknown wakes the run when it is repeated elsewhere':
    'a worker writes signals; without one the engine keeps the request and `signal` says that nobody has answered',
  'a run whose workflow is not registered can still be cancelled':
    'which workers exist is known to the engine alone, and a cancellation waits for one so that the run can clean up',
  'a run is executed by one live host, and taken over when that host is gone':
    'no host owns a run: the engine hands it to one worker at a time and to another when that one is gone',
};

/** One worker's port for every place the suite keeps state in. */
const places = new Map<string, { namespace: string; port: number }>();

function placeOf(dir: string): { namespace: string; port: number } {
  const place = places.get(dir) ?? { namespace: `place${places.size}`, port: ports.pop() ?? 0 };
  places.set(dir, place);
  return place;
}

if (reason !== undefined) test.skip(`durable contract: restate (skipped: ${reason})`, () => undefined);
else {
  beforeAll(async () => {
    server = await startRestate();
    ports = await freePorts(100);
  });
  afterAll(() => server?.close());
  durableContract(
    'restate',
    (dir) => {
      const { ingress = '', admin = '' } = server ?? {};
      return new EmbeddedRestate({
        ingress,
        admin,
        ...placeOf(dir),
        blobs: folderBlobs({ folder: join(dir, 'blobs') }),
        maxInlineBytes: 64 * 1024,
        suspendAfterMs: 30,
        inactivityMs: 400,
        retryMs: 1000,
        limits: { shared: { concurrency: 2 } },
      });
    },
    { randomPrograms: 10, skip },
  );
}
