import { expect, test } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { loadPeer } from './load-peer.ts';

test('a package that is not installed is named with the command that installs it', async () => {
  const missing = Object.assign(new Error("Cannot find package '@opentelemetry/api'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  const loading = loadPeer('@opentelemetry/api', () => Promise.reject(missing));
  await expect(loading).rejects.toThrow(UsageError);
  await expect(loading).rejects.toThrow(/npm install @opentelemetry\/api /);
});

test('a package that breaks while it loads is not taken for missing', async () => {
  await expect(loadPeer('x', () => Promise.reject(new Error('broken')))).rejects.toThrow(/^broken$/);
});
