import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { tinyModelBytes } from './tiny-model.ts';

test('the file has the same bytes on every machine and is small', () => {
  const [plain, thinking] = [tinyModelBytes(), tinyModelBytes({ thinks: true })];
  expect(plain.length).toBeLessThan(1_000_000);
  expect(hash('sha256', plain)).toBe('08d5f92efdc063d213cd22576b45c527db6940eff33d75a6d0703f1289d0373c');
  expect(hash('sha256', thinking)).toBe('b25fd5bc16ae4f0649e48ffec6afedc6f572f5bb8ce2917f0d6d495b3fabdacf');
});
