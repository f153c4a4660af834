import { describe, expect, it } from 'vitest';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { attemptWith } from '../testing/attempt.ts';
import { nativeSandbox } from '../tools/builtin/run-code/native-sandbox.ts';
import { codeOf } from './code/code-of.ts';
import { parameterNames } from './code/parameter-names.ts';
import { type CodeOptions, code } from './code.ts';
import { offlineContext } from './offline.ts';

const task = { input: 'Write the function', constraints: [], checks: [] };
const native = await nativeSandbox('python');
if ('missing' in native) console.warn(`skipped: Python in the native sandbox, because ${native.missing}`);

async function issuesOf(source: string, options: CodeOptions): Promise<Issue[]> {
  const answer = `It is:\n\n\`\`\`${options.language}\n${source}\n\`\`\`\nAll tests pass.`;
  return code(options).run(attemptWith({ answer }), task, offlineContext());
}

function detail(text: string): unknown[] {
  return [{ type: 'failed_check', detail: expect.stringContaining(text) }];
}

describe('JavaScript', () => {
  const options: CodeOptions = {
    language: 'javascript',
    signature: { name: 'total', parameters: ['prices', 'rate'] },
    tests: [
      { name: 'sums', code: 'assertEqual(total([1, 2], 2), 6)' },
      { name: 'awaits', code: 'assert(await Promise.resolve(total([], 1) === 0), "empty")' },
    ],
  };

  it('passes when it does what the tests ask', async () => {
    const right =
      'export function total(prices, rate = 1) {\n  return prices.reduce((sum, price) => sum + price, 0) * rate;\n}';
    expect(await issuesOf(right, options)).toEqual([]);
  });

  it.each([
    [
      'fails a test',
      'const total = (prices, rate) => prices.length * rate;\nexport default total;',
      'sums: Error: got 4, expected 6',
    ],
    ['has other parameters', 'export const total = async (prices) => 6;', 'total(prices) has other parameters'],
    ['does not define the function', 'function sum(a, b) { return a + b; }', 'does not define the function total'],
    ['does not parse', 'function total(prices, rate) { return prices + ; }', 'does not parse'],
    ['fails when loaded', 'throw new Error("early");', 'early'],
  ])('%s', async (_, source, why) => {
    expect(await issuesOf(source, options)).toMatchObject(detail(why));
  });
});

describe('TypeScript', () => {
  const options: CodeOptions = { language: 'typescript', signature: { name: 'half', parameters: 1 }, typeCheck: true };

  it('is checked by its types', async () => {
    const right = 'interface Box { size: number }\nexport function half(box: Box): number {\n  return box.size / 2;\n}';
    const tests = [{ name: 'halves', code: 'assertEqual(half({ size: 4 }), 2)' }];
    expect(await issuesOf(right, { ...options, tests })).toEqual([]);
    const wrong = 'export function half(size: number): string {\n  return size / 2;\n}';
    expect(await issuesOf(wrong, options)).toMatchObject(detail('TS2322'));
    expect(await issuesOf('enum Never { A }', options)).toMatchObject(detail('does not parse'));
  });

  it('is the only language with types to check', () => {
    expect(() => code({ language: 'python', typeCheck: true })).toThrow(UsageError);
  });
});

describe.skipIf('missing' in native)('Python', () => {
  const options: CodeOptions = {
    language: 'python',
    sandbox: 'native',
    signature: { name: 'total', parameters: ['prices', 'rate'] },
    tests: [
      { name: 'sums', code: 'assert total([1, 2], 2) == 6' },
      { name: 'of nothing', code: 'assert total([], 1) == 0, "the empty list"' },
    ],
  };

  it('passes when it does what the tests ask, whatever it does as a program', async () => {
    const right =
      'from __future__ import annotations\ndef total(prices, rate=1):\n    return sum(prices) * rate\nif __name__ == "__main__":\n    print(total(input(), 1))';
    expect(await issuesOf(right, options)).toEqual([]);
  });

  it.each([
    ['fails tests', 'def total(prices, rate):\n    return len(prices) or 1', '2 tests fail: sums: AssertionError'],
    [
      'says which',
      'def total(prices, rate):\n    return sum(prices) * rate or 1',
      'of nothing: AssertionError: the empty list',
    ],
    ['raises', 'def total(prices, rate):\n    return prices[5]', 'IndexError: list index out of range (line 2)'],
    ['has other parameters', 'def total(prices, factor):\n    return 6', 'total(prices, factor) has other parameters'],
    ['does not define the function', 'def sum_up(prices):\n    return 6', 'does not define the function total'],
    ['does not parse', 'def total(prices, rate:\n    return 6', 'does not parse'],
    ['exits', 'import sys\nsys.exit(0)', 'SystemExit'],
    ['ends the process', 'import os\nos._exit(0)', 'ended before its tests did'],
    ['exits in a test', 'def total(prices, rate):\n    raise SystemExit(0)', '2 tests fail'],
  ])('%s', async (_, source, why) => {
    expect(await issuesOf(source, options)).toMatchObject(detail(why));
  });

  it('is stopped when it does not end', async () => {
    const endless = 'def total(prices, rate):\n    while True: pass';
    expect(await issuesOf(endless, { ...options, timeoutMs: 500 })).toMatchObject(detail('did not end within 500 ms'));
  });

  it('has methods', async () => {
    const source = 'class Stack:\n    def push(self, item, *, at=0):\n        pass';
    const signature = { name: 'Stack.push', parameters: ['item', 'at'] };
    expect(await issuesOf(source, { language: 'python', sandbox: 'native', signature })).toEqual([]);
  });
});

describe('the code of an answer', () => {
  const answer =
    '```py\nimport a\n```\n~~~python\ndef find(x):\n  return x\n~~~\n```js\n1\n```\n```python\nprint("a much longer block")\n```';

  it('is the block that defines the name, else the longest', () => {
    expect(codeOf(answer, 'python', 'find')).toBe('def find(x):\n  return x\n');
    expect(codeOf(answer, 'python')).toBe('print("a much longer block")\n');
    expect(codeOf(answer, 'typescript')).toBeUndefined();
    expect(codeOf('```\nx\n```', 'python')).toBe('x\n');
    expect(codeOf('def find(x): return x', 'python')).toBe('def find(x): return x');
    expect(codeOf(' ', 'python')).toBeUndefined();
  });

  it.each([
    ['function f(a, b = [1, 2], ...rest) {}', ['a', 'b', '...rest']],
    ['(a, { b, c } = {}) => a', ['a', '{ b, c }']],
    ['async x => x', ['x']],
    ["function f(a = ')', b /* , c */) {}", ['a', 'b']],
    ['method() { return (1, 2); }', []],
  ])('has the parameters of %j', (source, names) => {
    expect(parameterNames(source)).toEqual(names);
  });
});

describe('a linter of the user', () => {
  const linter = `${process.execPath} -e "process.stdin.on('data', (code) => { if (/var /.test(code)) { console.log('line 1: use let'); process.exitCode = 1 } })"`;
  const options: CodeOptions = { language: 'javascript', lint: linter };

  it('reads the code and is believed', async () => {
    expect(await issuesOf('let a = 1;', options)).toEqual([]);
    expect(await issuesOf('var a = 1;', options)).toMatchObject(detail('the linter objects: line 1: use let'));
  });

  it('fails the step when it cannot be started, which says nothing of the code', async () => {
    await expect(issuesOf('let a = 1;', { ...options, lint: '/no/such/linter --stdin' })).rejects.toThrow('ENOENT');
    expect(() => code({ ...options, lint: '  ' })).toThrow(UsageError);
  });
});
