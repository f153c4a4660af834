import { expect, test } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import { canonicalArguments, waitingCalls } from './approvals.ts';

function asked(signal: string): RunEvent {
  const place = { id: signal, run: 'r', path: '', at: 0, live: true };
  return { type: 'approval.requested', signal, tool: 'pay', args: { sum: 1 }, why: 'it is irreversible', ...place };
}

function decided(signal: string): RunEvent {
  return {
    type: 'approval.decided',
    signal,
    approved: true,
    reason: '',
    id: `${signal}!`,
    run: 'r',
    path: '',
    at: 0,
    live: true,
  };
}

test('a suspended run says what it waits for; one in memory waits for what was asked and not decided', () => {
  const events = [asked('approve:abc:call-1'), asked('approve:trial-1/def:call-1'), decided('approve:abc:call-1')];
  const suspended = waitingCalls(
    { state: 'suspended', waitingFor: ['timer', 'approve:trial-1/def:call-1', 'approve:x:lost'] },
    events,
  );
  expect(suspended.map(({ callId, request }) => [callId, request?.tool])).toEqual([
    ['call-1', 'pay'],
    ['lost', undefined],
  ]);
  const running = waitingCalls({ state: 'running', waitingFor: [] }, events);
  expect(running.map(({ signal }) => signal)).toEqual(['approve:trial-1/def:call-1']);
  expect(running[0]?.call).toBe(suspended[0]?.call);
  expect(waitingCalls({ state: 'completed', waitingFor: [] }, events)).toEqual([]);
});

test('calls with the same id in two places have two names', () => {
  const [one, other] = waitingCalls({ state: 'running', waitingFor: [] }, [
    asked('approve:a:call-1'),
    asked('approve:b:call-1'),
  ]);
  expect(one?.call).not.toBe(other?.call);
  expect(one?.call).toMatch(/^[0-9a-f]{16}$/);
});

test('arguments are shown with sorted keys and every hidden character written out, as JSON of the same value', () => {
  const args = { to: 'a\u202eb\u200b\ufe0f\u{e0041}', b: ['\u0007', '中文'], a: 1 };
  const text = canonicalArguments(args);
  expect(text).toBe('{"a":1,"b":["\\u0007","中文"],"to":"a\\u202eb\\u200b\\ufe0f\\udb40\\udc41"}');
  expect(JSON.parse(text)).toEqual(args);
});
