import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { attemptWith } from '../testing/attempt.ts';
import { tool } from '../tools/tool.ts';
import type { Check } from './check.ts';
import { type CommandOptions, command } from './command.ts';
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
    const expect_ = { status: 'open', lines: [{ sku: 'a' }] };
    expect(await issuesOf(finalState({ read: () => state, expect: expect_ }))).toEqual([]);
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

describe('a command', () => {
  const folder = mkdtempSync(`${tmpdir()}/command-`);
  afterAll(() => rmSync(folder, { recursive: true }));

  function node(script: string, options?: CommandOptions): Check {
    return command([process.execPath, '--eval', script], options);
  }

  it.each([
    ['ends well', 'console.log("built")'],
    ['passes tests', 'console.log("Tests: 3 passed, 3 total")'],
    ['has its folder and variables', 'if (!process.cwd().endsWith(process.env.PART)) process.exit(3)'],
  ])('passes when it %s', async (_, script) => {
    expect(await issuesOf(node(script, { cwd: folder, env: { PART: folder.slice(-4) } }))).toEqual([]);
  });

  it.each<[string, string, CommandOptions]>([
    ['ended with exit code 3', 'console.error("no such file"); process.exit(3)', {}],
    ['1 of 3 tests failed', 'console.log("Tests: 1 failed, 2 passed, 3 total"); process.exit(1)', {}],
    ['exit code 0, but 1 of 3 tests failed', 'console.log("Tests: 1 failed, 2 passed, 3 total")', {}],
    ['ended with exit code 0, but ran no test', 'console.log("collected 0 items")', {}],
    ['ran no test', '0', { parse: () => ({ passed: 0, failed: 0, skipped: 4 }) }],
    ['was ended after 200 ms', 'setInterval(() => 0, 1000)', { timeoutMs: 200 }],
    ['printed too much', 'console.log("x".repeat(5000))', { maxOutputBytes: 1_000 }],
    ['was ended by a signal', 'process.kill(process.pid, "SIGKILL")', {}],
  ])('fails when it %s', async (why, script, options) => {
    expect(await issuesOf(node(script, options))).toMatchObject([
      { type: 'failed_check', detail: expect.stringContaining(why) },
    ]);
  });

  it('tells the end of its output, and can be judged by its exit code alone', async () => {
    const [issue] = await issuesOf(
      node('console.log("Tests: 0 total"); console.error("no such file"); process.exit(1)'),
    );
    expect(issue?.detail).toContain('no such file');
    expect(await issuesOf(node('console.log("collected 0 items")', { parse: false }))).toEqual([]);
  });

  it('is split into words and reaches no shell', async () => {
    const line = `"${process.execPath}" --eval 'process.exit(process.argv.length - 4)' '$HOME' "a|b" c`;
    expect(await issuesOf(command(line))).toEqual([]);
    expect(() => command('  ')).toThrow(/names no program/);
    expect(() => command("npm 'test")).toThrow(UsageError);
    await expect(issuesOf(command('no-such-program-here'))).rejects.toThrow(/ENOENT/);
  });
});
