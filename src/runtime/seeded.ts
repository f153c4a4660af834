import { hash } from 'node:crypto';

const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** Random numbers that depend on a text only (xoshiro128**, Blackman and Vigna 2018, seeded with its SHA-256). */
export class SeededRandom {
  readonly #state: Uint32Array;

  constructor(seed: string) {
    const digest = hash('sha256', seed, 'buffer');
    this.#state = Uint32Array.from({ length: 4 }, (_, index) => digest.readUInt32LE(index * 4));
  }

  /** A number in [0, 1) with 53 random bits. */
  number(): number {
    const high = this.#next() >>> 5;
    const low = this.#next() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** A UUID of version 4. */
  uuid(): string {
    const words = [this.#next(), this.#next(), this.#next(), this.#next()];
    const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('');
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
    const groups = [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      variant + hex.slice(17, 20),
      hex.slice(20),
    ];
    return groups.join('-');
  }

  #next(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#state;
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const third = c ^ a;
    const fourth = d ^ b;
    this.#state.set([a ^ fourth, b ^ third, third ^ (b << 9), rotate(fourth, 11)]);
    return result;
  }
}
