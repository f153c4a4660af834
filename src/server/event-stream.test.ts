import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../core/event.ts';
import { noUsage } from '../core/usage.ts';
import { Channel } from '../trace/channel.ts';
import { type EventStreamOptions, eventFrames } from './event-stream.ts';

function event(id: string, body: EventBody = { type: 'turn.start', turn: 1 }): RunEvent {
  return { ...body, id, run: 'r', path: '', at: 0, live: true };
}

const delta = (text: string): RunEvent => event('', { type: 'model.delta', text });
const end = event('end', { type: 'run.end', status: 'completed', reason: '', usage: noUsage, activeMs: 0 });

/** A run whose events are emitted and stored by hand. */
function byHand(more: Partial<EventStreamOptions> = {}) {
  const [live, stored] = [new Channel(), new Channel()];
  const frames = eventFrames({
    runId: 'r',
    events: { read: () => [], subscribe: () => stored },
    after: undefined,
    live: () => live,
    ended: async () => undefined,
    heartbeatMs: 5_000,
    gone: new AbortController().signal,
    draining: new AbortController().signal,
    ...more,
  });
  return { live, stored, frames };
}

const said = (frame: string): string =>
  /"text":"(\w+)"/.exec(frame)?.[1] ??
  /^id: (.+)$/m.exec(frame)?.[1] ??
  /^event: (.+)$/m.exec(frame)?.[1] ??
  frame.trim();

async function take(frames: AsyncGenerator<string>, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value, done } = await frames.next();
    if (done) break;
    taken.push(said(value));
  }
  return taken;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

test('text comes at once, but never before an event that it follows and that is not stored yet', async () => {
  const { live, stored, frames } = byHand();
  await frames.next();
  const first = take(frames, 1);
  await settle();
  live.write(delta('early'));
  expect(await first).toEqual(['early']);
  const rest = take(frames, 6);
  for (const one of [event('e1'), delta('a'), event('e2'), delta('b')]) live.write(one);
  await settle();
  for (const one of [event('e1'), event('e2'), end]) stored.write(one);
  expect(await rest).toEqual(['e1', 'a', 'e2', 'b', 'end', 'end']);
});

test('what a replay emits again holds no text back', async () => {
  const { live, stored, frames } = byHand();
  await frames.next();
  const coming = take(frames, 3);
  await settle();
  live.write({ ...event('e1'), live: false });
  live.write(delta('a'));
  await settle();
  stored.write(end);
  expect(await coming).toEqual(['a', 'end', 'end']);
});

test('silence is broken by a sign of life, and ends when the run turns out to have ended', async () => {
  let status: string | undefined;
  const { frames } = byHand({ heartbeatMs: 10, ended: async () => status });
  await frames.next();
  expect(await take(frames, 1)).toEqual([': alive']);
  status = 'parked';
  expect(await take(frames, 3)).toEqual(['end']);
});

test('a failure of the store ends the stream with it, and a client that is gone ends it quietly', async () => {
  async function* broken(): AsyncGenerator<RunEvent> {
    yield event('e1');
    throw new Error('the disk is full');
  }
  const { frames } = byHand({ events: { read: () => [], subscribe: broken } });
  await expect(take(frames, 9)).rejects.toThrow('the disk is full');
  const leave = new AbortController();
  const other = byHand({ gone: leave.signal });
  await other.frames.next();
  const rest = take(other.frames, 9);
  await settle();
  leave.abort();
  expect(await rest).toEqual([]);
});

test('a server that goes down says to come back', async () => {
  const down = new AbortController();
  const { frames } = byHand({ draining: down.signal });
  await frames.next();
  const rest = take(frames, 9);
  await settle();
  down.abort();
  expect(await rest).toEqual(['reconnect']);
});
