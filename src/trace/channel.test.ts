import { expect, it } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import { Channel } from './channel.ts';

const event = (turn: number): RunEvent => ({
  type: 'turn.start',
  turn,
  id: `:turn.start#${turn}`,
  run: 'r',
  path: '',
  at: 0,
  live: true,
});

it('keeps nothing for who has stopped reading, and nothing before somebody reads', async () => {
  const channel = new Channel();
  channel.write(event(1));
  expect(channel.watched).toBe(false);
  const reading = (async () => {
    for await (const { id } of channel) return id;
    return 'nothing';
  })();
  expect(channel.watched).toBe(true);
  channel.write(event(2));
  expect(await reading).toBe(':turn.start#2');
  expect(channel.watched).toBe(false);
});

it('gives a slow reader everything in order before it ends', async () => {
  const channel = new Channel();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { id } of channel) {
      seen.push(id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  for (const turn of [1, 2, 3]) channel.write(event(turn));
  channel.close();
  channel.write(event(4));
  await reading;
  expect(seen).toEqual([1, 2, 3].map((turn) => `:turn.start#${turn}`));
});
