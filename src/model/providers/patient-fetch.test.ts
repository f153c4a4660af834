import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { patientFetch } from './patient-fetch.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/path?q=1`;
}

test('sends method, headers and body, and gives the answer as it comes', async () => {
  const url = await serve((message, response) => {
    message.resume().once('end', () => {
      response.writeHead(201, { 'x-said': `${message.method} ${message.url} ${message.headers['x-mine']}` });
      response.write('one ');
      setTimeout(() => response.end('two'), 10);
    });
  });
  const response = await patientFetch(url, { method: 'POST', headers: { 'x-mine': 'yes' }, body: '{}' });
  expect([response.status, response.ok, response.headers.get('x-said')]).toEqual([201, true, 'POST /path?q=1 yes']);
  expect(await response.text()).toBe('one two');
});

test('an answer without a body has none', async () => {
  const response = await patientFetch(await serve((_message, answer) => answer.writeHead(204).end()));
  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('a signal ends the wait for the headers, and the body', async () => {
  const reason = new Error('enough');
  const silent = await serve(() => {});
  await expect(patientFetch(silent, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const waiting = new AbortController();
  const asked = patientFetch(silent, { signal: waiting.signal });
  waiting.abort(reason);
  await expect(asked).rejects.toBe(reason);
  server?.closeAllConnections();
  server?.close();
  const reading = new AbortController();
  const endless = await serve((_message, response) => response.writeHead(200).write('begun'));
  const response = await patientFetch(endless, { signal: reading.signal });
  reading.abort(reason);
  await expect(response.text()).rejects.toThrow();
});

test('a server that is not there fails as the built-in one does, with the code of the cause', async () => {
  const failed = await patientFetch('http://127.0.0.1:9/').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(TypeError);
  expect(failed).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
});
