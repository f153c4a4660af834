/**
 * What every store of blobs keeps to (`src/runtime/blobs.ts`). `make` returns a fresh, empty store each time; `another` opens a second
 * handle on the same place, as another process would; `damage` changes the content of a blob behind the store's back.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { StateError, UsageError } from '../core/errors.ts';
import { type BlobStore, textBlobs } from '../runtime/blobs.ts';

export interface BlobStoreFixture {
  store: BlobStore;
  another(): BlobStore;
  damage(reference: string, change: (content: Uint8Array) => Uint8Array): Promise<void> | void;
  dispose?(): Promise<void> | void;
}

/** Registers the suite under the name. */
export function blobStoreContract(name: string, make: () => Promise<BlobStoreFixture> | BlobStoreFixture): void {
  const open: BlobStoreFixture[] = [];
  const fresh = async (): Promise<BlobStoreFixture> => {
    const fixture = await make();
    open.push(fixture);
    return fixture;
  };
  const textOf = async (store: BlobStore, reference: string) => Buffer.from(await store.get(reference)).toString();

  describe(`blob store contract: ${name}`, () => {
    afterEach(async () => {
      for (const fixture of open.splice(0)) {
        await fixture.store.close();
        await fixture.dispose?.();
      }
    });

    test('a content is found by its SHA-256, by every handle', async () => {
      const { store, another } = await fresh();
      const reference = await store.put('a result');
      expect(reference).toBe(`sha256-${createHash('sha256').update('a result').digest('hex')}`);
      const other = another();
      expect(await textOf(other, reference)).toBe('a result');
      await other.close();
    });

    test('bytes and texts of every kind come back as they were', async () => {
      const { store } = await fresh();
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.uint8Array({ size: 'large' }), fc.string({ unit: 'binary' })), async (content) => {
          const kept = await store.get(await store.put(content));
          expect(Buffer.compare(kept, Buffer.from(content))).toBe(0);
        }),
        { numRuns: 20, examples: [[''], ['\u0000'], [new Uint8Array()], [new Uint8Array([0, 255, 92, 39])]] },
      );
    });

    test('a text comes back as a text', async () => {
      const texts = textBlobs((await fresh()).store);
      for (const text of ['', '\ufeff{"a":"\u0000é\u{1f600}"}'])
        expect(await texts.get(await texts.put(text))).toBe(text);
    });

    test('a part of a larger buffer is kept as that part', async () => {
      const { store } = await fresh();
      const part = new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4);
      expect([...(await store.get(await store.put(part)))]).toEqual([2, 3, 4]);
    });

    test('a text that UTF-8 cannot say is refused, not changed', async () => {
      const { store } = await fresh();
      await expect(store.put('half a pair \ud800')).rejects.toThrow(UsageError);
    });

    test('putting a content again, also at once and elsewhere, changes nothing', async () => {
      const { store, another } = await fresh();
      const others = [another(), another()];
      const references = await Promise.all([store, ...others, store, ...others].map((one) => one.put('same')));
      expect(new Set(references).size).toBe(1);
      expect(await textOf(store, references[0]!)).toBe('same');
      await Promise.all(others.map((other) => other.close()));
    });

    test('a content of 12 MB comes back', async () => {
      const { store } = await fresh();
      const content = Buffer.alloc(12 * 1024 * 1024, 'journal');
      expect(Buffer.compare(await store.get(await store.put(content)), content)).toBe(0);
    });

    test('a removed content is gone, and removing it again changes nothing', async () => {
      const { store } = await fresh();
      const [kept, removed] = [await store.put('kept'), await store.put('removed')];
      await store.delete(removed);
      await store.delete(removed);
      await expect(store.get(removed)).rejects.toThrow(StateError);
      await expect(store.get(removed)).rejects.toThrow(/is not in/);
      expect(await textOf(store, kept)).toBe('kept');
      await store.put('removed');
      expect(await textOf(store, removed)).toBe('removed');
    });

    test('a content that was changed in its place is found, and mended by putting it again', async () => {
      const { store, damage } = await fresh();
      const reference = await store.put('a result that matters');
      await damage(reference, (content) => content.with(3, content[3]! ^ 1));
      await expect(store.get(reference)).rejects.toThrow(/damaged.*restore it/);
      await expect(store.get(reference)).rejects.toThrow(StateError);
      await damage(reference, (content) => content.subarray(0, 5));
      await expect(store.get(reference)).rejects.toThrow(/damaged/);
      await store.put('a result that matters');
      expect(await textOf(store, reference)).toBe('a result that matters');
    });

    test('what is no reference is refused', async () => {
      const { store } = await fresh();
      const digits = 'ab'.repeat(32);
      for (const wrong of ['', digits, `sha256-${digits}0`, `sha256-../../${digits.slice(6)}`, `SHA256-${digits}`]) {
        await expect(store.get(wrong)).rejects.toThrow(UsageError);
        await expect(store.delete(wrong)).rejects.toThrow(UsageError);
      }
    });
  });
}
