import { describe, expect, it } from 'vitest';
import type { Issue, Observation } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { offlineContext } from './offline.ts';
import { testCounts } from './test-counts.ts';
import { testLog } from './test-log.ts';

interface Given {
  input?: string;
  ran?: string;
  tool?: string;
  status?: Observation['status'];
}

async function issuesOf(answer: string, given: Given = {}): Promise<Issue[]> {
  const { input = 'Fix the bug in the function and run the tests', ran, tool = 'shell', status = 'ok' } = given;
  const seen: Observation = {
    ...{ id: 'obs-1', path: '', tool, args: {}, status, content: ran ?? '', trust: 'untrusted' },
  };
  const attempt = attemptWith({ answer, observations: ran === undefined ? [] : [seen] });
  return testLog.run(attempt, { input, constraints: [], checks: [] }, offlineContext());
}

describe('tests that are said to pass', () => {
  it.each([
    'Two clean runs, 14 passed, exit 0',
    'Done. All tests pass.',
    'I fixed it and all 14 unit tests now pass.',
    'The test suite passes.',
    'The fix is done; tests are green.',
    '```\n Test Files  1 passed (1)\n      Tests  14 passed (14)\n```',
    '```\n===== 5 passed in 0.12s =====\n```',
    'test result: ok. 5 passed; 0 failed; 0 ignored',
    'ok 1 - adds\nok 2 - subtracts\n1..2\n# pass 2',
    '修复完成，所有测试均通过。',
    '全部14个测试通过。',
  ])('were not run: %j', async (answer) => {
    expect(await issuesOf(answer)).toMatchObject([{ type: 'unsupported_claim' }]);
    expect(await issuesOf(answer, { ran: 'nothing of the kind', tool: 'searchDocs' })).toHaveLength(1);
    expect(await issuesOf(answer, { ran: 'exit code 1', status: 'error' })).toHaveLength(1);
  });

  it('did not all pass, or were others', async () => {
    expect(await issuesOf('All tests pass.', { ran: 'Tests: 1 failed, 4 passed, 5 total' })).toHaveLength(1);
    expect(await issuesOf('All 14 tests passed.', { ran: '{"stdout":"Tests: 11 passed, 11 total\\n"}' })).toHaveLength(
      1,
    );
  });

  it('did not pass when the last run ended with an error, or when no tool of that kind ran', async () => {
    const ended = (how: string): string => JSON.stringify({ ended: how, stdout: '', sandbox: 'QuickJS' });
    expect(await issuesOf('All tests pass.', { ran: ended('error'), tool: 'runCode' })).toHaveLength(1);
    expect(await issuesOf('All tests pass.', { ran: ended('completed'), tool: 'runCode' })).toEqual([]);
    expect(await issuesOf('All tests pass.', { ran: 'the latest news', tool: 'latestNews' })).toHaveLength(1);
  });

  it.each<[string, string, Given]>([
    ['a tool ran them', 'All tests pass.', { ran: 'Tests: 4 passed, 4 total' }],
    ['a tool ran them and counted nothing', 'All 4 tests pass.', { ran: '{"stdout":"ok","exitCode":0}' }],
    ['that is a condition', 'Run npm test; if all tests pass, merge. Make sure that all tests pass first.', {}],
    ['it is not known', 'I could not run anything, so I do not know whether all tests pass.', {}],
    ['a result says so', 'The log says: 14 passed, exit 0', { ran: 'build 7: 14 passed, exit 0', tool: 'readDoc' }],
    ['the task says so', '14 passed means that 14 tests passed.', { input: 'Explain the script output "14 passed"' }],
    ['it is not about programs', 'The vaccine passed all tests in 2021.', { input: 'When was it approved?' }],
    ['people passed', 'All students passed.', { input: 'Did they pass the exam?' }],
    ['that is a condition in Chinese', '如果所有测试通过，就可以合并。', {}],
  ])('may be reported where %s', async (_, answer, given) => {
    expect(await issuesOf(answer, given)).toEqual([]);
  });
});

describe('the counts in the output of', () => {
  it.each([
    ['vitest', ' Test Files  1 failed (1)\n      Tests  2 failed | 5 passed | 1 skipped (8)', [5, 2, 1]],
    ['jest', 'Tests:       1 failed, 1 skipped, 4 passed, 6 total', [4, 1, 1]],
    ['pytest', '=== 1 failed, 2 passed, 1 warning in 0.12s ===', [2, 1, 0]],
    ['pytest -q', '2 passed in 0.01s', [2, 0, 0]],
    ['pytest without tests', 'collected 0 items\n\n=== no tests ran in 0.01s ===', [0, 0, 0]],
    ['unittest', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)', [3, 2, 0]],
    ['cargo', 'test result: ok. 5 passed; 0 failed; 1 ignored\ntest result: FAILED. 1 passed; 2 failed', [6, 2, 1]],
    ['go test', 'ok  \tpkg/a\t0.1s\nFAIL\tpkg/b\t0.2s\n?   \tpkg/c\t[no test files]', [1, 1, 0]],
    ['go test without tests', '?   \tpkg/c\t[no test files]', [0, 0, 0]],
    ['go test -v', '--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL', [1, 1, 0]],
    ['TAP', 'TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP\n1..3', [1, 1, 1]],
    [
      'node --test',
      '\x1b[34mℹ tests 3\x1b[39m\n\x1b[34mℹ pass 3\x1b[39m\nℹ fail 0'.replace(/\x1b\[\d+m/g, ''),
      [3, 0, 0],
    ],
    ['mocha', '  5 passing (12ms)\n  1 failing', [5, 1, 0]],
    ['Maven', 'Tests run: 5, Failures: 1, Errors: 0, Skipped: 1', [3, 1, 1]],
    ['JUnit XML', '<testsuite name="a" tests="4" failures="1" errors="0" skipped="0">', [3, 1, 0]],
    ['vitest without tests', 'No test files found, exiting with code 1', [0, 0, 0]],
    ['colours', '\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m5 passed\x1b[39m\x1b[22m (5)', [5, 0, 0]],
  ])('%s', (_, output, [passed, failed, skipped]) => {
    expect(testCounts(output)).toEqual({ passed, failed, skipped });
  });

  it('no runner are none', () => {
    expect(testCounts('compiled 3 files\nok then')).toBeUndefined();
  });
});
