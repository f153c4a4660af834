import { expect, test } from 'vitest';
import type { Status } from '../core/result.ts';
import { exitCodeOf } from './exit-codes.ts';

test.each<[Status, number]>([
  ['completed', 0],
  ['revised', 0],
  ['failed', 1],
  ['stopped', 3],
  ['needs_more_evidence', 4],
  ['awaiting_approval', 5],
  ['cancelled', 130],
])('a run that is %s exits with %i', (status, code) => {
  expect(exitCodeOf(status)).toBe(code);
});
