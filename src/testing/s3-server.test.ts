import { expect, test } from 'vitest';
import { signatureFault } from './s3-server.ts';

/** Published in the S3 API reference, "Examples: Signature Calculations in AWS Signature Version 4". */
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const examples = [
  {
    name: 'GET object',
    method: 'GET',
    target: '/test.txt',
    signed: { range: 'bytes=0-9', 'x-amz-content-sha256': emptyHash },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT object',
    method: 'PUT',
    target: '/test%24file.text',
    signed: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET bucket lifecycle',
    method: 'GET',
    target: '/?lifecycle',
    signed: { 'x-amz-content-sha256': emptyHash },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'list objects',
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    signed: { 'x-amz-content-sha256': emptyHash },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

for (const { name, method, target, signed, signature } of examples) {
  const headers = { ...signed, host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z' };
  const names = Object.keys(headers).toSorted().join(';');
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`;

  test(`the published signature is accepted: ${name}`, () => {
    expect(signatureFault({ method, target, headers: { ...headers, authorization } }, secretAccessKey)).toBeUndefined();
  });

  test(`a changed request or another key is not: ${name}`, () => {
    const request = { method, target, headers: { ...headers, authorization } };
    expect(signatureFault({ ...request, method: 'DELETE' }, secretAccessKey)).toMatch(/another signature/);
    expect(signatureFault({ ...request, target: '/other' }, secretAccessKey)).toMatch(/another signature/);
    expect(signatureFault(request, `${secretAccessKey}x`)).toMatch(/another signature/);
    const moved = { ...request.headers, 'x-amz-content-sha256': '0'.repeat(64) };
    expect(signatureFault({ ...request, headers: moved }, secretAccessKey)).toMatch(/another signature/);
  });
}
