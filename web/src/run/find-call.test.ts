import { describe, expect, it } from 'vitest';
import type { CallRow, RunEvent } from '../api/shapes.ts';
import { eventOf } from '../testing/event-of.ts';
import { findCall } from './find-call.ts';

type CallEvent = Extract<RunEvent, { type: 'model.call' }>;

const event = (path: string, fingerprint: string): CallEvent =>
  // It is made as one.
  eventOf(path, { type: 'model.call', step: 'turn', outcome: 'reply', prompt: { fingerprint } }) as CallEvent;
const row = (index: number, path: string, fingerprint: string): CallRow =>
  // Only these fields are read.
  ({ index, path, step: 'turn', fingerprint }) as unknown as CallRow;

describe('the prompt of a model call in the timeline', () => {
  it('is that of the same place with the same fingerprint', () => {
    const call = event('a/1', 'x');
    const rows = [row(1, 'a/0', 'x'), row(2, 'a/1', 'y'), row(3, 'a/1', 'x')];
    expect(findCall(call, [call], rows)?.index).toBe(3);
  });

  it('is the second of two that asked the same, for the second', () => {
    const [first, second] = [event('', 'x'), event('', 'x')];
    const rows = [row(1, '', 'x'), row(2, '', 'x')];
    expect([first, second].map((call) => findCall(call, [first, second], rows)?.index)).toEqual([1, 2]);
  });

  it('is unknown when none was rebuilt', () => {
    const call = event('', 'x');
    expect(findCall(call, [call], [row(1, '', 'y')])).toBeUndefined();
  });
});
