import { expect, test } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import type { RunInfo } from '../runtime/durable.ts';
import { decisionOf } from './ask-approval.ts';
import { callList, chosenCalls, pendingCalls } from './pending-calls.ts';

const run: RunInfo = {
  id: 'r1',
  workflow: 'assay',
  version: 1,
  state: 'suspended',
  waitingFor: ['approve::call-1', 'approve:step-2:call-9', 'other'],
  input: {},
  created: 0,
  updated: 0,
};

function requested(signal: string, args: unknown): RunEvent {
  const body = { type: 'approval.requested', signal, tool: 'sendMail', args, why: 'it has an effect' } as const;
  return { ...body, id: `:${signal}`, run: 'r1', path: '', at: 0, live: true };
}

const events = [
  requested('approve::call-1', { to: 'a', body: 'x\u202ey' }),
  requested('approve:step-2:call-9', { to: 'b' }),
];

test('waiting calls are told with their tool and arguments, and other signals are left out', () => {
  const pending = pendingCalls(run, events);
  expect(pending.map(({ callId }) => callId)).toEqual(['call-1', 'call-9']);
  expect(pending[1]?.request).toMatchObject({ tool: 'sendMail', args: { to: 'b' } });
});

test('arguments are canonical and hide nothing', () => {
  expect(callList(pendingCalls(run, events))).toContain('{"body":"x\\u{202e}y","to":"a"}');
});

test('a call is named by number or id; without a name there has to be one only', () => {
  const pending = pendingCalls(run, events);
  expect(chosenCalls(pending, { call: '2' })).toEqual([pending[1]]);
  expect(chosenCalls(pending, { call: 'call-1' })).toEqual([pending[0]]);
  expect(chosenCalls(pending, { all: true })).toHaveLength(2);
  expect(chosenCalls(pending.slice(0, 1), {})).toHaveLength(1);
  expect(() => chosenCalls(pending, {})).toThrow(/2 calls wait.*1\. sendMail[\s\S]*2\. sendMail/s);
  expect(() => chosenCalls(pending, { call: '3' })).toThrow(/No waiting call is '3'/);
});

test('a request whose event was lost can still be decided', () => {
  expect(pendingCalls(run, [])[0]).toEqual({ signal: 'approve::call-1', callId: 'call-1', request: undefined });
});

test('only a clear yes approves', () => {
  expect(decisionOf(' Y ')).toEqual({ approved: true });
  expect(decisionOf('')).toEqual({ approved: false, reason: 'the user said no' });
  expect(decisionOf('n')).toMatchObject({ approved: false });
  expect(decisionOf('yes but later')).toEqual({ approved: false, reason: 'yes but later' });
});
