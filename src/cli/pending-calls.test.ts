import { expect, test } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import type { RunInfo } from '../runtime/durable.ts';
import { decisionOf } from './ask-approval.ts';
import { callList, chosenCalls, describeCall, pendingCalls } from './pending-calls.ts';
import { exactArguments } from './shown-arguments.ts';

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

test('what an approver sees cannot be scrolled away, erased or reordered', () => {
  const hostile = { cmd: `echo ok;${' '.repeat(10_240)}rm -rf data\u001b[24D\u001b[K\r\b`, note: 'x\u{e0041}y' };
  const [, shown = ''] = describeCall({ request: requested('approve::c', hostile) as never });
  expect(shown).toContain(' [10240 times]rm -rf data\\u{1b}[24D\\u{1b}[K\\u{d}\\u{8}');
  expect(shown).toContain('x\\u{e0041}y');
  expect(shown.length).toBeLessThan(200);
  const long = { text: `begin ${'word '.repeat(1_000)}end` };
  const [, ends = ''] = describeCall({ request: requested('approve::c', long) as never });
  expect(ends).toMatch(/begin word.* \[…\d+ more characters…\] .*word end/s);
  expect(exactArguments(long)).toContain('word '.repeat(1_000));
});

test('a host with look-alike letters is shown as it is looked up', () => {
  const args = { url: 'https://ex\u0430mple.com/pay' };
  expect(describeCall({ request: requested('approve::c', args) as never })).toContainEqual(
    expect.stringContaining('xn--exmple-4nf.com'),
  );
});

test('a call keeps its number when another one was decided', () => {
  const left = pendingCalls({ ...run, waitingFor: ['approve:step-2:call-9'] }, events);
  expect(callList(left)).toMatch(/^ {2}2\. sendMail/);
  expect(chosenCalls(left, { call: '2' })).toEqual(left);
  expect(() => chosenCalls(left, { call: '1' })).toThrow("No waiting call is '1'");
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
  expect(pendingCalls(run, [])[0]).toEqual({
    signal: 'approve::call-1',
    callId: 'call-1',
    number: 1,
    request: undefined,
  });
});

test('only a clear yes approves', () => {
  expect(decisionOf(' Y ')).toEqual({ approved: true });
  expect(decisionOf('')).toEqual({ approved: false, reason: 'the user said no' });
  expect(decisionOf('n')).toMatchObject({ approved: false });
  expect(decisionOf('e {"sum": 3}')).toEqual({ approved: true, args: { sum: 3 } });
  expect(decisionOf('e {sum: 3}')).toMatchObject({ approved: false });
  expect(decisionOf('yes but later')).toEqual({ approved: false, reason: 'yes but later' });
});
