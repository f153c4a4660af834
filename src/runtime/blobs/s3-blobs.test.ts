import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StateError, UsageError } from '../../core/errors.ts';
import { blobStoreContract } from '../../testing/blob-store-contract.ts';
import { type S3Server, startS3 } from '../../testing/s3-server.ts';
import type { BlobStore } from '../blobs.ts';
import { type S3Options, s3Blobs } from './s3-blobs.ts';

const credentials = { accessKeyId: 'AKTEST', secretAccessKey: 'se+cret/key', sessionToken: 'to ken' };
const served = { ...credentials, bucket: 'results', region: 'eu-test-1' };
let server: S3Server;
beforeEach(async () => {
  server = await startS3(served);
});
afterEach(() => server.close());

const open = (changes: Partial<S3Options> = {}): BlobStore =>
  s3Blobs({ bucket: 'results', region: 'eu-test-1', endpoint: server.endpoint, credentials, tries: 3, ...changes });

blobStoreContract('s3', () => ({
  store: open({ prefix: 'runs/a_b.c-d/' }),
  another: () => open({ prefix: 'runs/a_b.c-d/' }),
  damage: (reference, change) => {
    const path = `/results/runs/a_b.c-d/${reference.slice('sha256-'.length)}`;
    server.objects.set(path, Buffer.from(change(server.objects.get(path)!)));
  },
}));

/** Answers the next requests with these statuses, then as usual. */
function answerWith(...statuses: number[]): void {
  server.instead = (_request, response) => {
    const status = statuses.shift();
    if (status === undefined) return false;
    response.writeHead(status, status === 429 ? { 'retry-after': '0.05' } : {}).end();
    return true;
  };
}

describe('s3 blobs', () => {
  test('a busy or failing server is asked again', async () => {
    const store = open();
    answerWith(503, 429);
    const reference = await store.put('x');
    expect(server.requests).toBe(3);
    answerWith(500);
    expect(Buffer.from(await store.get(reference)).toString()).toBe('x');
  });

  test('one that stays busy is given up with the remedy', async () => {
    answerWith(503, 503, 503, 503);
    await expect(open().put('x')).rejects.toThrow(/bucket results at 127.*HTTP 503.*after 3 tries.*try again later/);
    expect(server.requests).toBe(3);
  });

  test('a connection that is cut in the middle is made again', async () => {
    const store = open();
    const reference = await store.put('x'.repeat(100_000));
    let cuts = 0;
    server.instead = (_request, response) => {
      if (cuts++ > 0) return false;
      response.writeHead(200, { 'content-length': 100_000 }).write('x'.repeat(100));
      setTimeout(() => response.destroy(), 20);
      return true;
    };
    expect(await store.get(reference)).toHaveLength(100_000);
    expect(cuts).toBe(2);
  });

  test('a server that hangs is left after the time limit', async () => {
    server.instead = () => true;
    const began = performance.now();
    await expect(open({ timeoutMs: 100, tries: 2 }).get(`sha256-${'0'.repeat(64)}`)).rejects.toThrow(
      /cannot be reached.*timeout.*after 2 tries/,
    );
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  test('a server that is not there is a StateError', async () => {
    const store = open({ endpoint: 'http://127.0.0.1:9', tries: 2 });
    await expect(store.put('x')).rejects.toThrow(StateError);
    await expect(store.put('x')).rejects.toThrow(/cannot be reached/);
  });

  test('wrong credentials are refused at once, without a trace of the secret', async () => {
    const wrong = { ...credentials, secretAccessKey: 'another secret' };
    const failure = await open({ credentials: wrong }).put('x').catch(String);
    expect(failure).toMatch(/HTTP 403, SignatureDoesNotMatch.*check the credentials/);
    expect(failure).not.toMatch(/another secret/);
    expect(server.requests).toBe(1);
  });

  test('credentials are asked for before each request', async () => {
    let asked = 0;
    const store = open({
      credentials: async () => {
        asked++;
        return credentials;
      },
    });
    await store.get(await store.put('x'));
    expect(asked).toBe(2);
  });

  test('a bucket that is not there is not taken for a missing blob', async () => {
    const store = open({ bucket: 'others' });
    await expect(store.get(`sha256-${'0'.repeat(64)}`)).rejects.toThrow(/NoSuchBucket.*make the bucket/);
  });

  test('a redirect is not followed; it says which region', async () => {
    server.instead = (_request, response) => {
      response.writeHead(301, { location: server.endpoint, 'x-amz-bucket-region': 'ap-far-2' }).end();
      return true;
    };
    await expect(open().put('x')).rejects.toThrow(/HTTP 301.*in the region ap-far-2/);
    expect(server.requests).toBe(1);
  });

  test('options that cannot be are refused', async () => {
    for (const wrong of [
      { bucket: 'a/b' },
      { bucket: '' },
      { endpoint: 'ftp://x' },
      { prefix: '/x' },
      { prefix: 'a b' },
    ])
      expect(() => open(wrong)).toThrow(UsageError);
  });
});
