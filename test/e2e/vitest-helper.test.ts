import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitest-helper-'));
  // Where the project's configuration looks for tests.
  mkdirSync(join(folder, 'test'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a test file that tests a suite with these criteria, whose one task a model gets right and the other wrong. */
function verdictOn(criteria: string): { passed: boolean; output: string } {
  const source = (file: string): string => JSON.stringify(join(root, 'src', file));
  writeFileSync(
    join(folder, 'test/suite.test.ts'),
    `import { direct, functionModel } from ${source('index.ts')};
import { defineSuite, exact } from ${source('evals/index.ts')};
import { testSuite } from ${source('evals/vitest.ts')};
const model = functionModel(() => JSON.stringify({ answer: '2', claims: [] }));
const tasks = [{ id: 'one', input: '1 + 1?', expected: '2' }, { id: 'two', input: '2 + 2?', expected: '4' }];
testSuite(
  defineSuite({ name: 'sums', tasks, grade: exact(), solvers: { one: { model, solver: direct() } }, criteria: ${criteria} }),
  { folder: ${JSON.stringify(join(folder, 'evals'))} },
);
`,
  );
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const ended = spawnSync(
    process.execPath,
    [program, 'run', '--root', folder, '--config', join(root, 'vitest.config.ts'), '--dir', folder, 'suite'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', VITEST: undefined, VITEST_WORKER_ID: undefined },
    },
  );
  return { passed: ended.status === 0, output: `${ended.stdout}${ended.stderr}` };
}

it('passes a suite that meets its criteria, and names each that is missed', () => {
  const met = verdictOn('{ minSuccess: 0.5 }');
  expect(met.output).toContain('1 passed');
  expect(met.passed).toBe(true);
  const missed = verdictOn('{ minSuccess: 0.9, maxSilentFailures: 0 }');
  expect(missed.passed).toBe(false);
  expect(missed.output).toContain('success 50 %, at least 90 % is asked');
  expect(missed.output).toContain('silent failures 50 %, at most 0 % is allowed');
}, 60_000);

it('fails a suite without criteria, which could miss nothing', () => {
  const { passed, output } = verdictOn('{}');
  expect(passed).toBe(false);
  expect(output).toContain('a suite needs criteria to be a test');
}, 60_000);
