import { expect, it } from 'vitest';
import { testCounts } from './test-counts.ts';

it.each([
  ['node:test, TAP', '# tests 7\n# suites 0\n# pass 5\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0', 6, 1],
  ['node:test, spec', 'ℹ tests 3\nℹ suites 0\nℹ pass 3\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0', 3, 0],
  ['Vitest', ' Test Files  1 failed | 2 passed (3)\n      Tests  2 failed | 30 passed | 1 skipped (33)', 32, 2],
  ['Jest', 'Test Suites: 1 passed, 1 total\nTests:       1 failed, 4 passed, 5 total', 5, 1],
  ['pytest', '====== 1 failed, 12 passed, 2 skipped, 1 warning in 0.31s ======', 13, 1],
  ['pytest -q', '12 passed in 0.31s', 12, 0],
  ['pytest, all skipped', '=== 3 skipped in 0.01s ===', 0, 0],
  ['unittest', 'Ran 4 tests in 0.001s\n\nFAILED (failures=1, errors=1)', 4, 2],
  ['unittest, nothing', 'Ran 0 tests in 0.000s\n\nNO TESTS RAN', 0, 0],
  ['Mocha', '  5 passing (8ms)\n  1 failing', 6, 1],
  [
    'cargo',
    'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: FAILED. 1 passed; 2 failed; 0 ignored;',
    6,
    2,
  ],
  ['RSpec', '8 examples, 2 failures', 8, 2],
  ['go test -v', '--- PASS: TestA (0.00s)\n    --- FAIL: TestB/x (0.00s)\nFAIL', 2, 1],
  ['pytest, none', '==== no tests ran in 0.01s ====', 0, 0],
  ['Vitest, none', 'No test files found, exiting with code 0', 0, 0],
  ['go, none', '?   \texample.com/a\t[no test files]', 0, 0],
])('reads the summary of %s', (_runner, output, executed, failed) => {
  const counts = testCounts(output);
  expect(counts && [counts.passed + counts.failed, counts.failed]).toEqual([executed, failed]);
});

it('takes the summary of the run, not of an earlier one in its output', () => {
  expect(testCounts('1 failed in 0.1s\n…\n2 passed in 0.2s')).toMatchObject({ passed: 2, failed: 0 });
});

it('finds none where none is stated', () => {
  expect(testCounts('compiled 12 files\n3 passed the review')).toBeUndefined();
});
