/** A server on loopback that speaks as much of S3 as blobs need, and checks the signatures as Amazon describes it. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface S3Server {
  /** `http://127.0.0.1:port`. */
  endpoint: string;
  /** The objects by the path of their address, `/bucket/name`. */
  objects: Map<string, Buffer>;
  /** How many requests came. */
  requests: number;
  /** Asked before each request; an answer instead of the server's own. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

export interface S3ServerOptions {
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** What a signature is made of. */
export interface SignedRequest {
  method: string;
  /** Path and query, as in the request line. */
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Why the signature of a request is not one of the secret key; undefined when it is. AWS Signature Version 4, "Authenticating Requests:
 * Using the Authorization Header" of the S3 API reference.
 */
export function signatureFault(request: SignedRequest, secretAccessKey: string): string | undefined {
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      String(request.headers['authorization']),
    );
  if (!authorization) return 'no authorization of version 4';
  const [, scope = '', names = '', signature] = authorization;
  const signed = names.split(';');
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => signed.includes(name)))
    return 'a header that has to be signed is not';
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonicalRequest(request, signed))];
  const key = scope.split('/').reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return hmac(key, text.join('\n')).toString('hex') === signature ? undefined : 'another signature was expected';
}

function canonicalRequest({ method, target, headers }: SignedRequest, signed: readonly string[]): string {
  const [path = '', query = ''] = target.split('?');
  const parameters = query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => (parameter.includes('=') ? parameter : `${parameter}=`))
    .toSorted();
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  return [method, path, parameters.join('&'), lines.join(''), signed.join(';'), headers['x-amz-content-sha256']].join(
    '\n',
  );
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Starts a server that has one empty bucket. */
export async function startS3(options: S3ServerOptions): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    running.requests++;
    if (running.instead?.(request, response)) return;
    void answer(request, { response, objects, options });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const running: S3Server = {
    endpoint: `http://127.0.0.1:${portOf(server)}`,
    objects,
    requests: 0,
    instead: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return running;
}

interface Place {
  response: ServerResponse;
  objects: Map<string, Buffer>;
  options: S3ServerOptions;
}

async function answer(request: IncomingMessage, { response, objects, options }: Place): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  const { method = '', url: target = '', headers } = request;
  const fault = refusal({ method, target, headers }, body, options);
  if (fault) return refuse(response, fault);
  switch (method) {
    case 'PUT':
      objects.set(target, body);
      return void response.writeHead(200, { etag: `"${sha256(body)}"` }).end();
    case 'GET': {
      const object = objects.get(target);
      if (!object) return refuse(response, { status: 404, code: 'NoSuchKey', message: 'no object has this key' });
      return void response.writeHead(200, { 'content-length': object.length }).end(object);
    }
    case 'DELETE':
      objects.delete(target);
      return void response.writeHead(204).end();
    default:
      return refuse(response, { status: 405, code: 'MethodNotAllowed', message: method });
  }
}

interface Refusal {
  status: number;
  code: string;
  message: string;
}

function refusal(request: SignedRequest, body: Buffer, options: S3ServerOptions): Refusal | undefined {
  const { headers } = request;
  const denied = (message: string): Refusal => ({ status: 403, code: 'AccessDenied', message });
  const credential = `Credential=${options.accessKeyId}/`;
  const authorization = String(headers['authorization']);
  if (!authorization.includes(credential)) return { ...denied('an unknown key'), code: 'InvalidAccessKeyId' };
  if (!authorization.includes(`/${options.region}/s3/aws4_request`)) return denied('another region or service');
  if (headers['x-amz-security-token'] !== options.sessionToken) return denied('another session token');
  const fault = signatureFault(request, options.secretAccessKey);
  if (fault !== undefined) return { ...denied(fault), code: 'SignatureDoesNotMatch' };
  if (headers['x-amz-content-sha256'] !== sha256(body))
    return { status: 400, code: 'XAmzContentSHA256Mismatch', message: 'the content has another hash' };
  if (request.method === 'PUT' && headers['content-length'] === undefined)
    return { status: 411, code: 'MissingContentLength', message: 'a content needs its length' };
  if (!request.target.startsWith(`/${options.bucket}/`))
    return { status: 404, code: 'NoSuchBucket', message: 'no bucket has this name' };
  return undefined;
}

function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port on 127.0.0.1');
  return address.port;
}
