import { expect, test } from 'vitest';
import { hostOf, isLoopback } from './loopback.ts';

test('only names and addresses of this machine are loopback', () => {
  for (const host of ['localhost', 'LOCALHOST', 'a.localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]']) {
    expect([host, isLoopback(host)]).toEqual([host, true]);
  }
  for (const host of [
    '',
    '127.1',
    '127.0.0.1.a',
    '127.0.0.256',
    'localhost.a',
    'xlocalhost',
    '0.0.0.0',
    '::',
    '10.0.0.1',
  ]) {
    expect([host, isLoopback(host)]).toEqual([host, false]);
  }
  expect([hostOf('a.b:80'), hostOf('[::1]:8080'), hostOf('a b'), hostOf('a@b'), hostOf(null)]).toEqual([
    'a.b',
    '[::1]',
    undefined,
    undefined,
    undefined,
  ]);
});
