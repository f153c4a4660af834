import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { attemptWith } from '../testing/attempt.ts';
import { tool } from '../tools/tool.ts';
import type { Check } from './check.ts';
import { type FinalStateOptions, finalState } from './final-state.ts';
import { offlineContext } from './offline.ts';

const task = { input: 'Ship order 7', constraints: [], checks: [] };

async function issuesOf(check: Check): Promise<Issue[]> {
  return check.run(attemptWith({ answer: 'I shipped it, all is done.' }), task, offlineContext());
}

describe('the final state', () => {
  const state = { id: 7, status: 'open', lines: [{ sku: 'a', count: 2 }], changed: '2026-01-02' };
  const readOrder = tool({
    ...{ name: 'readOrder', description: 'Reads an order', effect: 'read' },
    input: z.object({ id: z.number() }),
    run: ({ id }) => JSON.stringify({ ...state, id }),
  });

  it('is as expected when every expected part is there', async () => {
    const wanted = { status: 'open', lines: [{ sku: 'a' }] };
    expect(await issuesOf(finalState({ read: () => state, expect: wanted }))).toEqual([]);
    expect(await issuesOf(finalState({ read: { tool: readOrder, args: { id: 7 } }, expect: { id: 7 } }))).toEqual([]);
    expect(await issuesOf(finalState({ read: async () => 'open', expect: 'open' }))).toEqual([]);
    const ofTask: FinalStateOptions['expect'] = (_attempt, { input }) => ({ id: Number(input.slice(-1)) });
    expect(await issuesOf(finalState({ read: () => state, expect: ofTask }))).toEqual([]);
  });

  it.each<[string, FinalStateOptions['expect'], boolean]>([
    ['status is "open", expected "shipped"', { status: 'shipped' }, false],
    ['lines[0].count is 2, expected 3', { lines: [{ sku: 'a', count: 3 }] }, false],
    ['lines[0] is {"sku":"a","count":2}, expected nothing there', { lines: [] }, false],
    ['lines[1] is missing, expected {"sku":"b"}', { lines: [{ sku: 'a' }, { sku: 'b' }] }, false],
    ['paid is missing, expected true', { paid: true }, false],
    ['lines is [{"sku":"a","count":2}], expected {}', { lines: {} }, false],
    ['changed is "2026-01-02", expected nothing there', { id: 7, status: 'open', lines: state.lines }, true],
  ])('differs: %s', async (text, expected, exact) => {
    expect(await issuesOf(finalState({ read: () => state, expect: expected, exact }))).toMatchObject([
      { type: 'failed_check', detail: expect.stringContaining(text) },
    ]);
  });

  it('is read with a tool that only reads', () => {
    const write = { ...readOrder, effect: 'write' } as const;
    expect(() => finalState({ read: { tool: write }, expect: {} })).toThrow(UsageError);
  });

  it('that cannot be read says nothing about the answer', async () => {
    const read = () => Promise.reject(new Error('the shop is down'));
    await expect(issuesOf(finalState({ read, expect: {} }))).rejects.toThrow('the shop is down');
  });
});
