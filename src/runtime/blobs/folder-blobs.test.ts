import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateError } from '../../core/errors.ts';
import { blobStoreContract } from '../../testing/blob-store-contract.ts';
import { folderBlobs } from './folder-blobs.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'blobs-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function fileOf(folder: string, reference: string): string {
  const digits = reference.slice('sha256-'.length);
  return join(folder, digits.slice(0, 2), digits.slice(2, 4), digits);
}

blobStoreContract('folder', () => {
  const folder = join(root, 'state', 'blobs');
  return {
    store: folderBlobs({ folder }),
    another: () => folderBlobs({ folder }),
    damage: (reference, change) => {
      const file = fileOf(folder, reference);
      writeFileSync(file, change(readFileSync(file)));
    },
  };
});

test('nobody but the owner may read a blob, and nothing unfinished is left', async () => {
  const store = folderBlobs({ folder: root });
  const file = fileOf(root, await store.put('secret'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(root, 'unfinished'))).toEqual([]);
});

test('what a killed process left is removed after a day, and not before', async () => {
  await folderBlobs({ folder: root }).put('first');
  const unfinished = join(root, 'unfinished');
  for (const name of ['old', 'new']) writeFileSync(join(unfinished, name), 'half a blob');
  const twoDaysAgo = Date.now() / 1_000 - 2 * 24 * 60 * 60;
  utimesSync(join(unfinished, 'old'), twoDaysAgo, twoDaysAgo);
  await folderBlobs({ folder: root }).put('second');
  expect(readdirSync(unfinished)).toEqual(['new']);
});

test('a place that is no folder is a StateError with the remedy, and leaves nothing behind', async () => {
  writeFileSync(join(root, 'file'), '');
  const store = folderBlobs({ folder: join(root, 'file', 'blobs') });
  await expect(store.put('x')).rejects.toThrow(StateError);
  await expect(store.put('x')).rejects.toThrow(/check that the folder may be written/);
  expect(readdirSync(root)).toEqual(['file']);
});
