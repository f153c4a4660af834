/**
 * `npm run engine`: a Restate server of your own on loopback, for trying out `assay worker --engine restate`. Its data is in
 * `.assay/restate`. The server is under the Business Source License 1.1; it comes with the development dependencies and is never
 * shipped.
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startRestate } from '../src/testing/restate-server.ts';

const server = await startRestate({
  folder: fileURLToPath(new URL('../.assay/restate', import.meta.url)),
  ports: { node: 5122, ingress: 8080, admin: 9070 },
});
console.log(
  `Restate on ${server.ingress}, its pages on ${server.admin}/ui. Start a worker: assay worker --engine restate`,
);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await server.close();
