import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { attemptWith } from '../testing/attempt.ts';
import type { Check } from './check.ts';
import { type CommandOptions, command } from './command.ts';
import { offlineContext } from './offline.ts';

const task = { input: 'Mend the build', constraints: [], checks: [] };

async function issuesOf(check: Check): Promise<Issue[]> {
  return check.run(attemptWith({ answer: 'I shipped it, all is done.' }), task, offlineContext());
}

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
