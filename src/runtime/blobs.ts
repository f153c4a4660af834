/**
 * A place for contents that are too large for a journal or an event. Contract (one suite for every store,
 * `src/testing/blob-store-contract.ts`):
 *
 * 1. A reference is made of the content alone (its SHA-256): the same content has the same reference in every store, and putting it again
 *    changes nothing, also when two machines do so at once.
 * 2. When `put` has resolved the content is kept: whoever has the reference can get it, on whatever machine uses the same place.
 * 3. `get` gives what was put, or rejects: contents that were changed in their place are found by their hash.
 * 4. Every failure of the place is a `StateError` that names the remedy.
 */
import { createHash } from 'node:crypto';
import { StateError, UsageError } from '../core/errors.ts';

export interface BlobStore {
  /** Keeps the content, a text as UTF-8, and gives its reference: `sha256-` and 64 hexadecimal digits. */
  put(content: Uint8Array | string): Promise<string>;
  /** The content. Rejects with `StateError` when there is none, or when it is not what was put. */
  get(reference: string): Promise<Uint8Array>;
  /** Removes the content, if it is there. Whoever else has put the same content loses it too. */
  delete(reference: string): Promise<void>;
  /** Releases what the store holds. */
  close(): Promise<void>;
}

/** The store for those who keep texts. */
export function textBlobs(store: BlobStore): {
  put(text: string): Promise<string>;
  get(reference: string): Promise<string>;
} {
  return {
    put: (text) => store.put(text),
    get: async (reference) =>
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await store.get(reference)),
  };
}

/** The bytes of a content. Throws `UsageError` for a text that UTF-8 cannot say. */
export function bytesOf(content: Uint8Array | string): Uint8Array {
  if (typeof content !== 'string') return content;
  if (content.isWellFormed()) return Buffer.from(content);
  throw new UsageError(
    'a text with half a surrogate pair cannot be kept as UTF-8: encode it first, such as by JSON.stringify',
  );
}

export function referenceOf(bytes: Uint8Array): string {
  return `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The digits of a reference. Throws `UsageError` for what is none, so that no place is ever asked for a name of another kind. */
export function digitsOf(reference: string): string {
  const digits = /^sha256-([0-9a-f]{64})$/.exec(reference)?.[1];
  if (digits !== undefined) return digits;
  throw new UsageError(`'${reference.slice(0, 100)}' is no reference to a blob: give what put() returned`);
}

/** The bytes, if they are those that were put. */
export function checkedBytes(reference: string, bytes: Uint8Array, place: string): Uint8Array {
  if (referenceOf(bytes) === reference) return bytes;
  throw new StateError(
    `the blob ${reference} in ${place} is damaged (${bytes.length} bytes with another hash): restore it from a backup, or delete it and resume the run that made it from an earlier step`,
  );
}

export function missingBlob(reference: string, place: string): StateError {
  return new StateError(
    `the blob ${reference} is not in ${place}: check that this is the place it was put in, or restore it from a backup`,
  );
}
