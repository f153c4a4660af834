import { describe, expect, it } from 'vitest';
import { offlineContext } from '../../checks/offline.ts';
import type { Json } from '../../core/json.ts';
import { attemptWith } from '../../testing/attempt.ts';
import type { Grade } from '../grader.ts';
import { type CodeTestsOptions, codeTests } from './code-tests.ts';
import { programOf } from './program-of.ts';

const prompt = `from typing import List


def doubled(value: int) -> int:
    return 2 * value


def tides(levels: List[int]) -> List[int]:
    """ The doubled levels above 3, rising.
    >>> tides([5, 1, 4])
    [8, 10]
    """
`;
const check = `
def check(candidate):
    assert candidate([5, 1, 4]) == [8, 10]
    assert candidate([]) == []
`;
const body =
  '    kept = [level for level in levels if level > 3]\n    return sorted(doubled(level) for level in kept)\n';

async function graded(
  answer: string,
  given: { expected?: Json; input?: string; options?: Partial<CodeTestsOptions> } = {},
): Promise<Grade> {
  const { expected = check, input = prompt, options = {} } = given;
  const task = { id: 't1', input, expected };
  return codeTests({ language: 'python', ...options }).grade(
    { task, answer, attempt: attemptWith({ answer }) },
    offlineContext(),
  );
}

describe('codeTests', () => {
  it('runs a body, a trimmed body, a fenced block and a whole module', async () => {
    const module = `from typing import List\n\ndef tides(levels: List[int]) -> List[int]:\n${body}`;
    const bare = module.replace(/^from.*\n/, '');
    for (const answer of [
      body,
      body.trim(),
      `Here it is:\n\`\`\`python\n${body.trim()}\n\`\`\`\nDone.`,
      module,
      bare,
      `\`\`\`\n${bare}\`\`\``,
    ])
      expect([answer, await graded(answer)]).toMatchObject([answer, { pass: true, score: 1 }]);
  });

  it('fails what is wrong, what is no code, and what only says that it passes', async () => {
    expect(await graded('    return levels\n')).toMatchObject({
      pass: false,
      why: expect.stringContaining('AssertionError'),
    });
    expect(await graded('All tests passed.')).toMatchObject({ pass: false });
    expect(await graded('    import os\n    os._exit(0)\n')).toMatchObject({ pass: false });
    expect(await graded('```javascript\nconst a = 1;\n```')).toMatchObject({
      pass: false,
      why: expect.stringContaining('no python program'),
    });
    expect(await graded('')).toMatchObject({ pass: false, why: expect.stringContaining('no answer') });
  });

  it('counts the tests of a list, and takes tests and programs from functions', async () => {
    const expected = ['assert tides([4]) == [8]', 'assert tides([9]) == [9]'];
    expect(await graded(body, { expected })).toMatchObject({ pass: false, score: 0.5 });
    const options: Partial<CodeTestsOptions> = {
      tests: ({ id }) => [`assert name == '${id}'`],
      extract: (answer) => `name = '${answer}'`,
    };
    expect(await graded('t1', { options })).toMatchObject({ pass: true });
  });

  it('tests JavaScript the same way', async () => {
    const options: Partial<CodeTestsOptions> = { language: 'javascript' };
    const input = 'function tides(levels) {\n';
    const expected = 'assert.deepEqual(tides([5, 1]), [10])';
    for (const answer of [
      '  return levels.filter((level) => level > 3).map((level) => level * 2);\n}',
      'const tides = (levels) => levels.filter((level) => level > 3).map((level) => 2 * level);',
    ])
      expect(await graded(answer, { input, expected, options })).toMatchObject({ pass: true });
  });

  it('names the task whose tests cannot be', async () => {
    await expect(graded(body, { expected: 7 })).rejects.toThrow("'t1'");
    await expect(graded(body, { input: 'Write a function.' })).rejects.toThrow('an input that is Python code');
  });
});

describe('programOf', () => {
  const task = { id: 't1', input: prompt };
  const program = (answer: string): string => programOf(answer, task, 'python') ?? '';

  it('gives a trimmed body its blanks back, also where a helper or a block comes first', () => {
    expect(program('def big(level):\n        return level > 3\n    return list(filter(big, levels))')).toContain(
      '\n    def big(level):\n        return',
    );
    expect(program('for level in levels:\n        if level: return [level]')).toContain(
      '\n    for level in levels:\n        if',
    );
    expect(program('return []')).toContain('\n    return []');
  });

  it('takes what declares the function for a module, however it is indented', () => {
    const odd = 'def tides(levels):\n        "Odd."\n        if levels:\n            return []\n    # the end';
    expect(program(odd)).toContain('\ndef tides(levels):\n        "Odd."');
  });

  it('puts imports from the future first', () => {
    expect(program('from __future__ import annotations\ndef tides(levels):\n    return []\n')).toMatch(
      /^from __future__/,
    );
  });

  it('finds the code of a task in its fenced block, and none in prose', () => {
    const fenced = { id: 't1', input: `Complete this:\n\`\`\`python\n${prompt}\`\`\`` };
    expect(programOf(body, fenced, 'python')).toBe(prompt + body);
    expect(programOf('x = 1', { id: 't1', input: 'def is a word' }, 'python')).toBe('x = 1');
  });
});
