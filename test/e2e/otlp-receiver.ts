/** A collector on loopback: takes OTLP over HTTP in protobuf and reads the messages, as opentelemetry-proto 1.x defines them. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1 is internal, 3 is client. */
  kind: number;
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  /** 2 is an error. */
  status: number;
  resource: Record<string, unknown>;
}

export interface ReceivedPoint {
  metric: string;
  unit: string;
  attributes: Record<string, unknown>;
  count: bigint;
  sum: number;
  bounds: number[];
}

export interface Receiver {
  readonly endpoint: string;
  readonly spans: ReceivedSpan[];
  readonly points: ReceivedPoint[];
  /** Everything that came in, as it came. */
  readonly bodies: Buffer[];
  readonly headers: Record<string, unknown>[];
  close(): Promise<void>;
}

/** `answer` may hold back the answer, or give another one. */
export async function startReceiver(answer: (response: ServerResponse) => void = accept): Promise<Receiver> {
  const received = { spans: [] as ReceivedSpan[], points: [] as ReceivedPoint[] };
  const bodies: Buffer[] = [];
  const headers: Record<string, unknown>[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    bodies.push(body);
    headers.push(request.headers);
    if (request.url === '/v1/traces') received.spans.push(...spansOf(body));
    else if (request.url === '/v1/metrics') received.points.push(...pointsOf(body));
    else response.statusCode = 404;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ...received,
    bodies,
    headers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function accept(response: ServerResponse): void {
  response.setHeader('content-type', 'application/x-protobuf');
  response.end();
}

type Field = bigint | Buffer;
type Message = Map<number, Field[]>;

/** One protobuf message: every field by its number, in order; numbers and fixed-width fields as integers. */
function messageOf(bytes: Buffer): Message {
  const fields: Message = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const read: Record<number, () => Field> = {
      0: varint,
      1: () => take(8).readBigUInt64LE(),
      2: () => take(Number(varint())),
      5: () => BigInt(take(4).readUInt32LE()),
    };
    const field = read[tag & 7];
    if (!field) throw new Error(`wire type ${tag & 7} at byte ${at}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), field()]);
  }
  return fields;
}

const messages = (from: Message, field: number): Message[] =>
  (from.get(field) ?? []).filter((value) => typeof value !== 'bigint').map(messageOf);
const bytesOf = (from: Message, field: number): Buffer => {
  const value = from.get(field)?.at(-1);
  return typeof value === 'object' ? value : Buffer.alloc(0);
};
const text = (from: Message, field: number): string => bytesOf(from, field).toString('utf8');
const integer = (from: Message, field: number): bigint => {
  const value = from.get(field)?.at(-1);
  return typeof value === 'bigint' ? value : 0n;
};
const double = (bits: bigint): number => new Float64Array(new BigUint64Array([bits]).buffer)[0] ?? Number.NaN;

function attributesOf(from: Message, field: number): Record<string, unknown> {
  return Object.fromEntries(messages(from, field).map((pair) => [text(pair, 1), anyValueOf(messages(pair, 2)[0])]));
}

function anyValueOf(value: Message | undefined): unknown {
  if (!value) return undefined;
  if (value.has(1)) return text(value, 1);
  if (value.has(2)) return integer(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, integer(value, 3)));
  if (value.has(4)) return double(integer(value, 4));
  if (value.has(5)) return messages(messages(value, 5)[0] ?? new Map(), 1).map(anyValueOf);
  return undefined;
}

function spansOf(body: Buffer): ReceivedSpan[] {
  return messages(messageOf(body), 1).flatMap((group) => {
    const resource = attributesOf(messages(group, 1)[0] ?? new Map(), 1);
    return messages(group, 2).flatMap((scope) => messages(scope, 2).map((span) => spanOf(span, resource)));
  });
}

function spanOf(span: Message, resource: Record<string, unknown>): ReceivedSpan {
  return {
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentSpanId: bytesOf(span, 4).toString('hex'),
    name: text(span, 5),
    kind: Number(integer(span, 6)),
    start: integer(span, 7),
    end: integer(span, 8),
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => ({ name: text(event, 2), attributes: attributesOf(event, 3) })),
    status: Number(integer(messages(span, 15)[0] ?? new Map(), 3)),
    resource,
  };
}

function pointsOf(body: Buffer): ReceivedPoint[] {
  const metrics = messages(messageOf(body), 1).flatMap((group) =>
    messages(group, 2).flatMap((scope) => messages(scope, 2)),
  );
  return metrics.flatMap((metric) => {
    const about = { metric: text(metric, 1), unit: text(metric, 3) };
    const sums = messages(metric, 7).flatMap((sum) => messages(sum, 1));
    const histograms = messages(metric, 9).flatMap((histogram) => messages(histogram, 1));
    return [
      ...sums.map((point) => ({
        ...about,
        attributes: attributesOf(point, 7),
        count: 1n,
        sum: point.has(4) ? double(integer(point, 4)) : Number(integer(point, 6)),
        bounds: [],
      })),
      ...histograms.map((point) => ({
        ...about,
        attributes: attributesOf(point, 9),
        count: integer(point, 4),
        sum: double(integer(point, 5)),
        bounds: doublesOf(bytesOf(point, 7)),
      })),
    ];
  });
}

function doublesOf(packed: Buffer): number[] {
  return Array.from({ length: packed.length / 8 }, (_, index) => packed.readDoubleLE(index * 8));
}
