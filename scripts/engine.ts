/**
 * `npm run engine`: a Restate server of your own on loopback, for trying out `assay worker --engine restate`. Its data is in
 * `.assay/restate`. The server is under the Business Source License 1.1; it comes with the development dependencies and is never
 * shipped.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const data = fileURLToPath(new URL('../.assay/restate', import.meta.url));
const program = fileURLToPath(new URL('../node_modules/.bin/restate-server', import.meta.url));
mkdirSync(data, { recursive: true });
const server = spawn(program, ['--base-dir', data, '--node-name', 'local'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_LOG_FILTER: 'warn',
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '5s',
  },
});
console.log(
  'Restate on http://127.0.0.1:8080, its pages on http://127.0.0.1:9070. Start a worker: assay worker --engine restate',
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill('SIGTERM'));
server.once('exit', (code) => process.exit(code ?? 0));
