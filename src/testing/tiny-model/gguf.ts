/** A GGUF v3 file, little-endian: header, metadata, tensor table, tensors. Only what a small model needs. */

/** A value of the metadata with its type. */
export type MetadataValue =
  | { text: string }
  | { count: number }
  | { real: number }
  | { flag: boolean }
  | { texts: readonly string[] }
  | { integers: readonly number[] };

/** Row-major values. A matrix is stored in half precision, a vector in single precision. */
export interface Tensor {
  name: string;
  rows: number;
  columns: number;
  values: Float32Array;
}

const version = 3;
const alignment = 32;
const types = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const tensorTypes = { float32: 0, float16: 1 } as const;

/** The bytes of a file with this metadata and these tensors, in this order. */
export function ggufFile(metadata: ReadonlyMap<string, MetadataValue>, tensors: readonly Tensor[]): Uint8Array {
  const file = new Bytes();
  file.ascii('GGUF').uint32(version).uint64(tensors.length).uint64(metadata.size);
  for (const [key, value] of metadata) writeValue(file.string(key), value);
  const data = tensors.map(bytesOf);
  let offset = 0;
  tensors.forEach((tensor, index) => {
    const isVector = tensor.rows === 1;
    file
      .string(tensor.name)
      .uint32(isVector ? 1 : 2)
      .uint64(tensor.columns);
    if (!isVector) file.uint64(tensor.rows);
    file.uint32(isVector ? tensorTypes.float32 : tensorTypes.float16).uint64(offset);
    offset = aligned(offset + (data[index]?.length ?? 0));
  });
  file.pad();
  for (const bytes of data) file.raw(bytes).pad();
  return file.whole();
}

function writeValue(file: Bytes, value: MetadataValue): void {
  if ('text' in value) file.uint32(types.string).string(value.text);
  else if ('count' in value) file.uint32(types.uint32).uint32(value.count);
  else if ('real' in value) file.uint32(types.float32).float32(value.real);
  else if ('flag' in value) file.uint32(types.bool).raw(Uint8Array.of(value.flag ? 1 : 0));
  else if ('texts' in value) {
    file.uint32(types.array).uint32(types.string).uint64(value.texts.length);
    for (const text of value.texts) file.string(text);
  } else {
    file.uint32(types.array).uint32(types.int32).uint64(value.integers.length);
    for (const integer of value.integers) file.uint32(integer);
  }
}

function bytesOf({ rows, values }: Tensor): Uint8Array {
  const width = rows === 1 ? 4 : 2;
  const view = new DataView(new ArrayBuffer(values.length * width));
  values.forEach((value, index) => {
    if (width === 4) view.setFloat32(index * 4, value, true);
    else view.setUint16(index * 2, halfPrecision(value), true);
  });
  return new Uint8Array(view.buffer);
}

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** The bits of the nearest half-precision number; what is smaller than the smallest normal one is zero. Node 22 has no Float16Array. */
function halfPrecision(value: number): number {
  single[0] = value;
  const [pattern = 0] = bits;
  const sign = (pattern >>> 16) & 0x8000;
  const rounded = (pattern & 0x7fffffff) + 0xfff + ((pattern >>> 13) & 1);
  const exponent = (rounded >>> 23) - 112;
  if (exponent <= 0) return sign;
  if (exponent >= 31) throw new RangeError(`${value} is beyond half precision`);
  return sign | (exponent << 10) | ((rounded >>> 13) & 0x3ff);
}

function aligned(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

class Bytes {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this;
  }

  ascii(text: string): this {
    return this.raw(Buffer.from(text, 'ascii'));
  }

  uint32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return this.raw(bytes);
  }

  uint64(value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    return this.raw(bytes);
  }

  float32(value: number): this {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    return this.raw(bytes);
  }

  string(text: string): this {
    const bytes = Buffer.from(text, 'utf8');
    return this.uint64(bytes.length).raw(bytes);
  }

  pad(): this {
    return this.raw(new Uint8Array(aligned(this.#length) - this.#length));
  }

  whole(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}
