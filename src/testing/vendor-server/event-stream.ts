import { crc32 } from 'node:zlib';

/**
 * One message of AWS's event stream (`application/vnd.amazon.eventstream`): lengths and a checksum, headers, the payload,
 * a checksum of it all. All numbers are big-endian.
 */
export function eventStreamMessage(headers: Readonly<Record<string, string>>, payload: object): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

const stringType = 7;

function header(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([stringType]), length, text]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
