/**
 * Blobs as objects of a bucket, in Amazon S3 or whatever speaks its protocol.
 *
 * 1. A request is signed (Signature Version 4) together with the hash of its content, so the server refuses what the wire changed.
 * 2. Answers 429 and 5xx, cut connections and timeouts are tried again, with doubling waits or the server's Retry-After.
 * 3. Redirects are not followed: a signature holds for one host.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';
import { messageOf, StateError, UsageError } from '../../core/errors.ts';
import { type BlobStore, bytesOf, checkedBytes, digitsOf, missingBlob, referenceOf } from '../blobs.ts';

export interface S3Options {
  bucket: string;
  /** Of the bucket. Default `AWS_REGION`, else `us-east-1`. */
  region?: string;
  /** `https://host` of a server that is not Amazon's; the bucket is the first part of the path. */
  endpoint?: string;
  /** Default `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. A function is asked before each request. */
  credentials?: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
  /** Before the name of each object, such as `assay/blobs/`. Default none. */
  prefix?: string;
  /** Milliseconds for one try, the transfer included. Default 60,000. */
  timeoutMs?: number;
  /** Tries at most, the first included. Default 5. */
  tries?: number;
}

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

type Method = 'PUT' | 'GET' | 'DELETE';

interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

const firstPauseMs = 200;
const longestPauseMs = 20_000;

/** A blob store in the bucket; needs the package `aws4fetch`. Throws `UsageError` for options that cannot be. */
export function s3Blobs(options: S3Options): BlobStore {
  const bucket = new Bucket(options);
  return {
    async put(content) {
      const bytes = bytesOf(content);
      const reference = referenceOf(bytes);
      await bucket.ask('PUT', digitsOf(reference), bytes);
      return reference;
    },
    async get(reference) {
      const { status, bytes } = await bucket.ask('GET', digitsOf(reference));
      if (status === 404) throw missingBlob(reference, bucket.place);
      return checkedBytes(reference, bytes, bucket.place);
    },
    async delete(reference) {
      await bucket.ask('DELETE', digitsOf(reference));
    },
    close: async () => undefined,
  };
}

class Bucket {
  readonly place: string;
  readonly #options: S3Options;
  readonly #base: string;
  readonly #region: string;

  constructor(options: S3Options) {
    const region = options.region ?? process.env['AWS_REGION'] ?? 'us-east-1';
    const endpoint = URL.parse(options.endpoint ?? `https://s3.${region}.amazonaws.com`);
    if (!endpoint || !/^https?:$/.test(endpoint.protocol))
      throw new UsageError(
        `'${options.endpoint}' is no endpoint of S3: give an address such as https://s3.example.com`,
      );
    if (!/^[a-z0-9][a-z0-9._-]{1,254}$/i.test(options.bucket))
      throw new UsageError(`'${options.bucket}' is no name of a bucket: use letters, digits, '.', '_' and '-'`);
    // Other characters are written one way in an address and another in a signature.
    if (!/^[\w./-]*$/.test(options.prefix ?? '') || options.prefix?.startsWith('/'))
      throw new UsageError(
        `'${options.prefix}' is no prefix of objects: use letters, digits, '.', '_', '-' and '/' within`,
      );
    this.#options = options;
    this.#region = region;
    this.#base = `${endpoint.href.replace(/\/+$/, '')}/${options.bucket}/${options.prefix ?? ''}`;
    this.place = `the bucket ${options.bucket} at ${endpoint.host}`;
  }

  /** The answer: success, or 404 to a GET. Everything else is a `StateError`. */
  async ask(method: Method, name: string, body?: Uint8Array): Promise<Answer> {
    const tries = Math.max(1, this.#options.tries ?? 5);
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#try(method, name, body);
      if (isWanted(method, answer)) return answer;
      if (attempt >= tries || !mayPass(answer)) throw this.#failed(answer, attempt);
      await sleep(pauseOf(answer, attempt));
    }
  }

  /** The answer, or why there was none. */
  async #try(method: Method, name: string, body: Uint8Array | undefined): Promise<Answer | Error> {
    const client = await this.#client();
    const request = await client.sign(`${this.#base}${name}`, {
      method,
      headers: { 'X-Amz-Content-Sha256': body ? name : emptyHash },
      ...(body && { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }),
    });
    try {
      const response = await fetch(request, {
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#options.timeoutMs ?? 60_000),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, bytes };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #client(): Promise<AwsClient> {
    const { AwsClient } = await import('aws4fetch').catch(() => {
      throw new UsageError('blobs in S3 need the package aws4fetch: run npm install aws4fetch');
    });
    const { credentials = environmentCredentials } = this.#options;
    const { accessKeyId, secretAccessKey, sessionToken } =
      typeof credentials === 'function' ? await credentials() : credentials;
    return new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region: this.#region,
    });
  }

  #failed(answer: Answer | Error, attempts: number): StateError {
    return answer instanceof Error ? this.#unreachable(answer, attempts) : this.#refused(answer, attempts);
  }

  #refused({ status, headers, bytes }: Answer, attempts: number): StateError {
    const text = Buffer.from(bytes.subarray(0, 4_000)).toString();
    const said = ['Code', 'Message'].map((name) => new RegExp(`<${name}>([^<]{0,300})`).exec(text)?.[1] ?? '');
    const region = headers.get('x-amz-bucket-region');
    const detail = [`HTTP ${status}`, ...said, attempts > 1 ? `after ${attempts} tries` : ''].filter(
      (part) => part !== '',
    );
    const remedy =
      region !== null && region !== this.#region
        ? `the bucket is in the region ${region}: set that region`
        : remedyOf(status);
    return new StateError(`${this.place} refused (${detail.join(', ')}): ${remedy}`);
  }

  #unreachable(error: Error, attempts: number): StateError {
    const cause = error.cause instanceof Error ? messageOf(error.cause) || error.message : error.message;
    return new StateError(
      `${this.place} cannot be reached (${cause}, after ${attempts} tries): check the endpoint and the network`,
      { cause: error },
    );
  }
}

/** SHA-256 of nothing. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function environmentCredentials(): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: process.env['AWS_SESSION_TOKEN'] };
  throw new UsageError(
    'blobs in S3 need credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give `credentials`',
  );
}

function isWanted(method: Method, answer: Answer | Error): answer is Answer {
  if (answer instanceof Error) return false;
  return answer.status < 300 || (method === 'GET' && isNoObject(answer));
}

/** A 404 that is about the object, not about the bucket. */
function isNoObject({ status, bytes }: Answer): boolean {
  return status === 404 && !Buffer.from(bytes.subarray(0, 4_000)).includes('<Code>NoSuchBucket<');
}

/** Whether the same may work later. */
function mayPass(answer: Answer | Error): boolean {
  return answer instanceof Error || isBusy(answer.status);
}

function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}

function remedyOf(status: number): string {
  if (status === 403)
    return 'check the credentials, the clock of this machine, and that they may read, write and list this bucket (without the right to list, an object that is not there is refused too)';
  if (status === 404) return 'make the bucket, or name the one that is there';
  if (status >= 300 && status < 400) return 'check the region and the endpoint';
  return isBusy(status) ? 'try again later' : 'check the options of the store';
}

function pauseOf(answer: Answer | Error, attempt: number): number {
  const asked = answer instanceof Error ? Number.NaN : Number(answer.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const doubled = firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  return Math.min(asked >= 0 ? asked : doubled, longestPauseMs);
}
