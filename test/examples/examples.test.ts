/** The examples run as they stand, without keys and without a network beyond this machine. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSandbox } from '../../src/tools/builtin/run-code.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-example-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (example: string, name: string): string =>
  fileURLToPath(new URL(`../../examples/${example}/${name}`, import.meta.url));

async function outputOf(example: string, ...options: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const args = [fileOf(example, 'main.ts'), ...options];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(stderr).toBe('');
  expect(existsSync(fileOf(example, 'README.md'))).toBe(true);
  return stdout;
}

const { works, detail } = (await describeSandbox()).javascript;
if (!works) console.warn(`skipped: the examples with code, because ${detail}`);

describe('an example with code', () => {
  it.skipIf(works)('says that it is skipped where there is no sandbox', async () => {
    for (const example of ['reflexion-code', 'signature-evaluator'])
      expect(await outputOf(example)).toMatch(/^skipped: /m);
  });

  it.skipIf(!works)('mends a bug that a test finds: reflexion-code', async () => {
    const output = await outputOf('reflexion-code');
    expect(output).toMatch(/^model: scripted/);
    expect(output).toMatch(/trial 1\n {2}failed: 1 of 4 tests failed\n.*got 100, expected 10/);
    expect(output).toMatch(/reflection: .*compares numbers as text/);
    expect(output).toMatch(/trial 2\n(?:.|\n)*passed: all 4 tests passed/);
    expect(output).toMatch(/^completed: .*\n(?:.|\n)*sort\(\(a, b\) => a - b\)/m);
  });

  it.skipIf(!works)('keeps the bug that its evaluator does not look for: signature-evaluator', async () => {
    const output = await outputOf('signature-evaluator');
    expect(output).toMatch(/^model: scripted/);
    const [first = '', second = ''] = output.split(/^trial \d$/m).slice(1);
    expect(first).toContain('evaluator (signature): fail');
    expect(first).toMatch(/reflection: .*Name the function median/);
    expect(first).not.toMatch(/reflection: .*text/);
    expect(second).toContain('evaluator (signature): pass');
    expect(second).toMatch(/hidden tests: +fail, 1 of 3 tests failed\n.*got 100, expected 10/);
    expect(second).toMatch(/^completed: /m);
  });
});

it('reads a service over HTTP and tells the longest observation: http-tool', async () => {
  const output = await outputOf('http-tool');
  expect(output).toMatch(/^model: scripted/);
  expect(output).toMatch(/obs-4: httpGet .*\/stops\/harbour\/boardings/);
  expect(output).toMatch(/^completed: .*233 passengers/m);
  expect(output).toContain('steps of the loop: 5, tool calls: 5');
  expect(output).toMatch(/longest observation: obs-4, \d+ characters/);
});

it('finds another way only when it may plan again: replan', async () => {
  const output = await outputOf('replan');
  expect(output).toMatch(/^model: scripted/);
  expect(output).toMatch(/^model calls +7 +11$/m);
  expect(output).toMatch(/^steps +s1 failed, s2 done +s1 skipped, r1-1 done, r1-2 done$/m);
  expect(output).toMatch(/answer without planning again: .*not known/);
  expect(output).toMatch(/answer with planning again: .*8 crates/);
});

it.each(['reflexion-code', 'signature-evaluator', 'http-tool', 'replan'])(
  'asks the model that is named: %s',
  async (example) => {
    const script = fileOf('replan', 'script.json');
    const named = outputOf(example, '--model', `script:${script}.gone`);
    await expect(named).rejects.toThrow(/script\.json\.gone/);
  },
);
