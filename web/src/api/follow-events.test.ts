import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventOf } from '../testing/event-of.ts';
import { EventLog } from './event-log.ts';
import { asHeader, type Connection, followEvents } from './follow-events.ts';
import { problemOf, unreachable } from './problem.ts';
import type { RunEvent } from './shapes.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that answers each request in its turn. */
async function serverOf(...answers: Answer[]): Promise<{ url: string; asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id']?.toString());
    const answer = answers.shift();
    if (answer) answer(response, request);
    else response.writeHead(204).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server on a port has an address with one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const frame = (event: RunEvent): string => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;

function stream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

async function followed(url: string): Promise<{ log: EventLog; states: Connection[]; error: unknown }> {
  const log = new EventLog();
  const states: Connection[] = [];
  let error: unknown;
  await followEvents({
    firstWaitMs: 1,
    signal: AbortSignal.timeout(5_000),
    async open(last, signal) {
      const headers = last === undefined ? {} : { 'last-event-id': asHeader(last) };
      const response = await fetch(url, { signal, headers }).catch(() => {
        throw unreachable();
      });
      if (!response.ok) throw await problemOf(response);
      return response;
    },
    follower: {
      events: (events) => log.add(events),
      connection: (state, why) => {
        states.push(state);
        error = why;
      },
    },
  });
  return { log, states, error };
}

const first = eventOf('价', { type: 'turn.start', turn: 1 });
const second = eventOf('', { type: 'turn.start', turn: 2 });

describe('following a run', () => {
  it('goes on behind the last event after a break, with nothing twice, until the end is told', async () => {
    const { url, asked } = await serverOf(
      (response) => {
        stream(response).write(frame(first), () => response.destroy());
      },
      (response) => {
        stream(response).end(`${frame(first)}${frame(second)}event: end\ndata: {}\n\n`);
      },
    );
    const { log, states } = await followed(url);
    expect(log.events.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(states).toEqual(['live', 'waiting', 'live', 'over']);
    // The bytes of UTF-8, as a browser sends them.
    expect(asked).toEqual([undefined, Buffer.from(first.id).toString('latin1')]);
  });

  it('comes back when the server says that it goes down, and when nobody answers for a while', async () => {
    const { url } = await serverOf(
      (response) => {
        stream(response).end(`${frame(first)}event: reconnect\ndata: {}\n\n`);
      },
      (response) => response.destroy(),
      (response) => {
        response.writeHead(503, { 'content-type': 'application/problem+json' }).end('{"detail":"down"}');
      },
      (response) => {
        stream(response).end(`${frame(second)}event: end\ndata: {}\n\n`);
      },
    );
    const { log, states } = await followed(url);
    expect(log.events).toHaveLength(2);
    expect(states).toEqual(['live', 'waiting', 'waiting', 'waiting', 'live', 'over']);
  });

  it('reads events that are cut anywhere, also inside a character', async () => {
    const bytes = Buffer.from(frame(eventOf('', { type: 'run.warning', why: '价格 😀' })));
    const { url } = await serverOf(async (response) => {
      stream(response);
      for (const byte of bytes) response.write(Uint8Array.of(byte));
      response.end('event: end\ndata: {}\n\n');
    });
    expect((await followed(url)).log.events).toMatchObject([{ why: '价格 😀' }]);
  });

  it('is over when the server says that there is nothing more', async () => {
    const { url } = await serverOf();
    expect(await followed(url)).toMatchObject({ states: ['over'] });
  });

  it('ends with what the server says when it refuses', async () => {
    const { url, asked } = await serverOf((response) => {
      response
        .writeHead(404, { 'content-type': 'application/problem+json' })
        .end('{"detail":"There is no run.","remedy":"Look at the list."}');
    });
    const { states, error } = await followed(url);
    expect(states).toEqual(['failed']);
    expect(error).toMatchObject({ status: 404, message: 'There is no run.', remedy: 'Look at the list.' });
    expect(asked).toHaveLength(1);
  });
});
