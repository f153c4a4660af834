import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { addToken, readTokens, revokeToken, tokenFile } from './token-file.ts';
import { authenticate, createToken, tokenList } from './tokens.ts';

let file = '';

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'assay-tokens-')), 'tokens.json');
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(join(file, '..'), { recursive: true, force: true });
});

test('a token is known by its hash and gives what was stored with it, without the hash', () => {
  const { token, stored } = createToken({ tenant: 'a', scopes: ['run'], daily: { usd: 1 } });
  expect(JSON.stringify(stored)).not.toContain(token.slice(-43));
  expect(authenticate(tokenList([stored]), token)).toEqual({
    id: stored.id,
    tenant: 'a',
    scopes: ['run'],
    daily: { usd: 1 },
  });
});

test('a token with another secret, of another list, or past its time is none', () => {
  const { token, stored } = createToken({ tenant: 'a', scopes: ['run'], expires: 1_000 });
  const other = createToken({ tenant: 'a', scopes: ['run'] });
  const source = tokenList([stored]);
  expect(authenticate(source, token, 999)).toBeDefined();
  expect(authenticate(source, token, 1_000)).toBeUndefined();
  expect(authenticate(source, token.slice(0, -43) + other.token.slice(-43), 999)).toBeUndefined();
  expect(authenticate(source, other.token, 999)).toBeUndefined();
  expect(authenticate(source, '', 999)).toBeUndefined();
});

test('a token is not made for a tenant whose name is no name, or with no scope', () => {
  expect(() => createToken({ tenant: '../b', scopes: ['run'] })).toThrow(/tenant/);
  expect(() => createToken({ tenant: 'b', scopes: [] })).toThrow();
});

test('tokens are added to a file that only its owner may read, and taken out of it', () => {
  const first = addToken(file, { tenant: 'a', scopes: ['run'] });
  addToken(file, { tenant: 'b', scopes: ['read'] });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(first);
  const [one, two] = readTokens(file);
  expect(tokenFile(file).tenants()).toEqual(['a', 'b']);
  expect(revokeToken(file, String(one?.id))).toBe(true);
  expect(revokeToken(file, String(one?.id))).toBe(false);
  expect(readTokens(file)).toEqual([two]);
});

test('a revoked token is out within a second, and a broken file lets nobody in', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const token = addToken(file, { tenant: 'a', scopes: ['run'] });
  const broken: Error[] = [];
  const source = tokenFile(file, { onBroken: (error) => broken.push(error) });
  const [stored] = readTokens(file);
  expect(authenticate(source, token)).toBeDefined();
  revokeToken(file, String(stored?.id));
  vi.advanceTimersByTime(1_000);
  expect(authenticate(source, token)).toBeUndefined();
  writeFileSync(file, JSON.stringify({ tokens: [stored] }), { mode: 0o600 });
  utimesSync(file, 1, 1);
  vi.advanceTimersByTime(1_000);
  expect(authenticate(source, token)).toBeDefined();
  writeFileSync(file, '{"tokens":');
  vi.advanceTimersByTime(1_000);
  expect(authenticate(source, token)).toBeUndefined();
  expect(broken).toHaveLength(1);
});

test('a file that others may write, that is absent or no token file is refused with the reason', () => {
  expect(() => tokenFile(file)).toThrow(UsageError);
  writeFileSync(file, '{"tokens":[{"id":"abcdef"}]}', { mode: 0o600 });
  expect(() => tokenFile(file)).toThrow(/tokens\.0\.hash/);
  writeFileSync(file, '{"tokens":[]}');
  chmodSync(file, 0o666);
  expect(() => tokenFile(file)).toThrow(/chmod 600/);
});
