import { expect, test } from 'vitest';
import { record } from '../recorded.ts';
import { endOfFailure, isRunStart, runStart, ValueStore } from './run-log.ts';

/** Keeps texts in memory under their length. */
function blobs() {
  const kept = new Map<string, string>();
  return {
    kept,
    put: async (content: Uint8Array | string) => {
      const reference = `blob-${content.length}`;
      kept.set(reference, String(content));
      return reference;
    },
    get: async (reference: string) => Buffer.from(kept.get(reference) ?? ''),
  };
}

test('a value at the limit is kept in place, and one byte more in the blob store', async () => {
  const store = blobs();
  const values = new ValueStore({ blobs: store, maxInlineBytes: 10 });
  expect(await values.logged(record('12345678'))).toEqual({ value: '12345678' });
  expect(await values.logged(record('123456789'))).toEqual({ blob: 'blob-11' });
  // Four characters, twelve bytes.
  expect(await values.logged(record('日本語文'))).toEqual({ blob: 'blob-6' });
  expect((await values.read({ blob: 'blob-6' }))?.read()).toBe('日本語文');
  expect((await values.read({ value: null }))?.read()).toBe(null);
  expect(await values.read({})).toBeUndefined();
});

test('without a blob store a large value is refused with the remedy', async () => {
  const values = new ValueStore({ maxInlineBytes: 10 });
  expect(values.tooLarge(record('12345678'))).toBeUndefined();
  expect(values.tooLarge(record('123456789'))).toMatch(/^11 bytes are more than the 10 .* with a blob store$/);
  await expect(values.read({ blob: 'blob-11' })).rejects.toThrow(/no blob store was given: pass `blobs`/);
});

test('the text of a value is a part of its entry as JSON', async () => {
  const values = new ValueStore();
  const entry = (text: string) => JSON.parse(`{"key":"a"${text}}`);
  expect(entry(await values.text(record({ a: [1, 'zwei', null] })))).toEqual({
    key: 'a',
    value: { a: [1, 'zwei', null] },
  });
  expect(entry(await values.text(undefined))).toEqual({ key: 'a' });
});

test('a start is told from the input of somebody else’s service', () => {
  const start = runStart({ version: 1, seed: 's', created: 1, began: 1 }, undefined);
  expect(isRunStart(JSON.parse(JSON.stringify(start)))).toBe(true);
  for (const other of [undefined, null, 7, 'text', {}, { assay: 2 }, []]) expect(isRunStart(other)).toBe(false);
});

test('what the engine ended itself is cancelled, what it refused has failed', () => {
  expect(endOfFailure('[409] killed').state).toBe('cancelled');
  expect(endOfFailure('[409 Aborted] cancelled').state).toBe('cancelled');
  expect(endOfFailure('[404] service not found')).toMatchObject({ state: 'failed', error: '[404] service not found' });
  expect(endOfFailure().state).toBe('failed');
});
