import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { tinyModelBytes } from './tiny-model.ts';

test('the file has the same bytes on every machine and is small', () => {
  const [plain, thinking] = [tinyModelBytes(), tinyModelBytes({ thinks: true })];
  expect(plain.length).toBeLessThan(1_000_000);
  expect(hash('sha256', plain)).toBe('1dbb3d1895dc2ff3f77d03406712c38c7c6e8c0ec1f045f51787bb6d3a6fb0da');
  expect(hash('sha256', thinking)).toBe('2b028baae8c90ba2ec8d916a954804916f6597ef6052d2b0c5cf2a2682125b28');
});
