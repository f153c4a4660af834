/**
 * Whether what listens at an address is well: `node healthcheck.ts http://127.0.0.1:8787/readyz` asks for a 2xx answer,
 * `node healthcheck.ts tcp://127.0.0.1:9080` for a connection. Ends with 0 when it is, else with 1 and the reason.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

const patienceMs = 4_000;

async function check(address: URL): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  if (address.protocol === 'tcp:') {
    const socket = connect(Number(address.port), address.hostname.replace(/^\[(.*)\]$/, '$1'));
    await once(socket, 'connect', { signal });
    socket.destroy();
    return;
  }
  const response = await fetch(address, { signal, redirect: 'error' });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
}

const [address = ''] = process.argv.slice(2);
try {
  await check(new URL(address));
  process.exit(0);
} catch (error) {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  console.error(`healthcheck: ${address || 'no address was given'}: ${cause}`);
  process.exit(1);
}
