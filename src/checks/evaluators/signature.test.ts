import { expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { offlineContext } from '../offline.ts';
import { signature } from './signature.ts';

const task = { input: 'x', constraints: [], checks: [] };
const judged = (answer: string) =>
  signature({ name: 'area', parameters: 2 }).evaluate(attemptWith({ answer }), task, offlineContext());

it.each([
  'function area(width, height) {}',
  'export async function area(width = Math.max(1, 2), height = ")") {}',
  'const area = (width, { deep, wide } = {}) => 0;',
  'let area = function (a, ...rest) {}',
  'function area<T extends [number, number]>(size: Map<string, T>, unit: string): number { return 0; }',
  'def area(width, height=(1, 2)):\n    return 0',
  'class Box:\n    def area(self, width, *, height): ...',
  'Text.\n```python\ndef area(a, b):  # (one, two, three)\n    pass\n```',
])('accepts %s', async (answer) => {
  expect(await judged(answer)).toMatchObject({ pass: true, score: 1 });
});

it.each([
  ['function area(width) {}', 'with 1 parameter', 0.5],
  ['const area = width => width;', 'with 1 parameter', 0.5],
  ['function areas(a, b) {}', 'no function named area', 0],
  ['area(1, 2); // function', 'no function named area', 0],
  ['def area():\n    return other(1, 2)', 'with 0 parameter', 0.5],
])('refuses %s', async (answer, why, score) => {
  expect(await judged(answer)).toMatchObject({ pass: false, score, feedback: expect.stringContaining(why) });
});

it('cannot see that the function is wrong', async () => {
  expect(await judged('function area(width, height) { return width + height; }')).toMatchObject({ pass: true });
});

it('refuses what cannot be a signature', () => {
  expect(() => signature({ name: 'a b', parameters: 1 })).toThrow(/no name/);
  expect(() => signature({ name: 'a', parameters: -1 })).toThrow(/at least 0/);
});
