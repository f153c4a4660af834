import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { describeSandbox } from '../../tools/builtin/run-code.ts';
import type { Evaluation } from '../check.ts';
import { offlineContext } from '../offline.ts';
import { type TestsPassOptions, testsPass } from './tests-pass.ts';

const sandboxes = await describeSandbox();
const without = (['python', 'javascript', 'typescript'] as const).filter((language) => !sandboxes[language].works);
for (const language of without) console.warn(`skipped: tests in ${language}, because ${sandboxes[language].detail}`);

const kinds: ('wasm' | 'native')[] = [];
for (const kind of ['wasm', 'native'] as const) {
  const { works, detail } = (await describeSandbox(kind)).javascript;
  if (works) kinds.push(kind);
  else console.warn(`skipped: JavaScript in the sandbox ${kind}, because ${detail}`);
}

const task = { input: 'write it', constraints: [], checks: [] };

async function judged(answer: string | undefined, options: TestsPassOptions): Promise<Evaluation> {
  return testsPass(options).evaluate(attemptWith({ answer }), task, offlineContext());
}

const fence = (language: string, code: string): string => `Here it is:\n\`\`\`${language}\n${code}\n\`\`\`\nDone.`;

describe.skipIf(!sandboxes.python.works)('testsPass in Python', () => {
  const options: TestsPassOptions = { language: 'python', tests: ['assert double(2) == 4', 'assert double(-1) == -2'] };

  it('passes code that every test accepts', async () => {
    const evaluation = await judged(fence('python', 'def double(n):\n    return 2 * n'), options);
    expect(evaluation).toEqual({ pass: true, score: 1, feedback: 'all 2 tests passed' });
  });

  it('scores the share of passed tests and tells what a failed one got', async () => {
    const evaluation = await judged(fence('python', 'def double(n):\n    return n * n'), options);
    expect(evaluation).toMatchObject({ pass: false, score: 0.5 });
    expect(evaluation.feedback).toContain('assert double(-1) == -2 (AssertionError: double(-1) is 1)');
    expect(evaluation.feedback).not.toContain('double(2)');
  });

  it.each([
    ['ends the program', 'import sys\nprint("2 passed")\nsys.exit(0)', 'SystemExit: 0'],
    ['cannot be parsed', 'def double(n:\n    return 2 * n', 'SyntaxError'],
    ['throws', 'raise ValueError("no water")', 'ValueError: no water'],
    ['defines nothing', 'pass', "NameError: name 'double' is not defined"],
    ['exits in the function', 'import os\ndef double(n):\n    os._exit(0)', 'before the tests ran'],
  ])('passes no code that %s', async (_what, code, why) => {
    const evaluation = await judged(fence('python', code), options);
    expect(evaluation).toMatchObject({ pass: false, score: 0 });
    expect(evaluation.feedback).toContain(why);
  });

  it('believes no log: neither a printed one nor one in the answer', async () => {
    const code = 'print("==== 2 passed in 0.01s ====")\ndef double(n):\n    return 0';
    expect(await judged(`All 2 tests passed.\n${fence('python', code)}`, options)).toMatchObject({
      pass: false,
      score: 0,
    });
  });

  it('ends code that does not end', async () => {
    const code = 'def double(n):\n    while True: pass';
    const evaluation = await judged(fence('python', code), { ...options, timeoutMs: 500 });
    expect(evaluation).toMatchObject({ pass: false, score: 0, feedback: expect.stringContaining('500 ms') });
  });

  it('does not run the main part of a script, and keeps text of any kind whole', async () => {
    const code =
      'def name():\n    return "Çélan \\\\ \\" 船 🚢"\nif __name__ == "__main__":\n    raise SystemExit(name())';
    expect(
      await judged(code, { language: 'python', tests: ['assert name() == "Çélan \\\\ \\" 船 🚢"'] }),
    ).toMatchObject({
      pass: true,
    });
  });

  it('shows of a named test its name and not its code', async () => {
    const named = { name: 'negative numbers', code: 'assert double(-731) == -1462' };
    const { feedback } = await judged('def double(n):\n    raise KeyError("x")', {
      language: 'python',
      tests: [named],
    });
    expect(feedback).toContain("- failed: negative numbers (KeyError: 'x')");
    expect(feedback).not.toContain('1462');
  });

  it('shows no test when the code cannot be loaded', async () => {
    const named = { name: 'hidden', code: 'assert double(-731) == -1462' };
    const { feedback } = await judged('def double(n:', { language: 'python', tests: [named] });
    expect(feedback).toContain('SyntaxError');
    expect(feedback).not.toMatch(/1462|assay_tests|mark/);
  });

  it('says that a test cannot be parsed', async () => {
    const { pass, feedback } = await judged('x = 1', { language: 'python', tests: ['assert x = 1'] });
    expect(pass).toBe(false);
    expect(feedback).toContain('cannot be parsed: assert x = 1');
  });
});

describe.skipIf(!sandboxes.javascript.works)('testsPass in JavaScript', () => {
  const options: TestsPassOptions = {
    language: 'javascript',
    tests: ['assert.deepEqual(sorted([10, 9]), [9, 10])', "assert.throws(() => sorted('x'))"],
  };
  const good =
    'return [...list].sort((a, b) => a - b).map((n) => { if (typeof n !== "number") throw new Error(); return n; });';

  it.each([
    ['a declaration', `function sorted(list) { ${good} }`],
    ['an export', `export const sorted = (list) => { ${good} };`],
    ['a default export', `export default function sorted(list) { ${good} }`],
    ['an export of CommonJS', `function sorted(list) { ${good} }\nmodule.exports = { sorted };`],
  ])('passes good code in %s', async (_what, code) => {
    expect(await judged(fence('js', code), options)).toMatchObject({ pass: true, score: 1 });
  });

  it('tells what a failed test got', async () => {
    const { pass, score, feedback } = await judged(fence('js', 'const sorted = (list) => [...list].sort();'), options);
    expect([pass, score]).toEqual([false, 0]);
    expect(feedback).toContain('got [10,9], expected [9,10]');
  });

  it.each([
    [
      'replaces assert',
      'function assert() {}\nassert.equal = assert.deepEqual = assert.throws = assert;\nconst sorted = (list) => list;',
    ],
    ['has a report of its own', 'export default "passed";\nconst sorted = (list) => list;'],
    ['throws at once', 'throw new Error("passed");'],
  ])('passes no code that %s', async (_what, code) => {
    expect(await judged(fence('js', code), options)).toMatchObject({ pass: false });
  });

  it.each(kinds)('shows no test when the code cannot be loaded in the sandbox %s', async (sandbox) => {
    const named = { name: 'hidden', code: 'assert.equal(twice(-731), -1462)' };
    const answer = 'function twice(n { return n; }';
    const { pass, feedback } = await judged(answer, { language: 'javascript', tests: [named], sandbox });
    expect(pass).toBe(false);
    expect(feedback).toContain('SyntaxError');
    expect(feedback).not.toMatch(/1462|base64/);
  });

  it('waits for tests that wait', async () => {
    const tests = ['assert.equal(await later(), 7)', 'await assert.rejects(later)'];
    const evaluation = await judged('async function later() { return 7; }', { language: 'javascript', tests });
    expect(evaluation).toMatchObject({
      pass: false,
      score: 0.5,
      feedback: expect.stringContaining('nothing was rejected'),
    });
  });

  it.skipIf(!sandboxes.typescript.works)('runs TypeScript', async () => {
    const code = 'export function twice(n: number): number { return n * 2; }';
    expect(
      await judged(fence('ts', code), { language: 'typescript', tests: ['assert.equal(twice(4), 8)'] }),
    ).toMatchObject({
      pass: true,
    });
  });
});

describe('testsPass', () => {
  it('needs a test', () => {
    expect(() => testsPass({ language: 'python', tests: [] })).toThrow(/no test was given/);
  });

  it('passes no attempt without an answer or without code of the language', async () => {
    const options: TestsPassOptions = { language: 'python', tests: ['assert True'] };
    expect(await judged(undefined, options)).toMatchObject({ pass: false, feedback: 'there is no answer' });
    expect(await judged(fence('ruby', 'puts 1'), options)).toMatchObject({
      pass: false,
      feedback: expect.stringContaining('no python code'),
    });
  });
});
