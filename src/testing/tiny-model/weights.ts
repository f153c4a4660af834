/**
 * Weights written by hand.
 *
 * 1. A token is one dimension, and the output matrix is a table of how likely each token is after each other one.
 * 2. One attention head sees whether tools are offered and whether one has answered, and adds a dimension for each. It looks at
 *    two dimensions of its keys that the position hardly turns.
 * 3. A feed-forward block with small random weights is computed like any other and changes no choice.
 */
import type { Tensor } from './gguf.ts';
import { tokenClass, tokenId, vocabulary } from './vocabulary.ts';

const tokens = vocabulary.texts.length;
const toolsOffered = tokens;
const toolAnswered = tokens + 1;
const always = tokens + 2;

/** The sizes that the metadata tells. */
export const shape: { width: number; heads: number; headWidth: number; hidden: number } = {
  width: Math.ceil((tokens + 3) / 32) * 32,
  heads: 2,
  headWidth: 32,
  hidden: 64,
};

const constant = 0.25;
/** What the norm before each block multiplies by. */
const norm = Math.sqrt(shape.width / (1 + constant ** 2));
/** What the head adds to a dimension it has seen. */
const seen = 0.2;
/** Dimensions of a head that positions hardly turn, with a base of 1e10. */
const [still, stillToo] = [shape.headWidth / 2 - 2, shape.headWidth / 2 - 1];

export function tinyWeights(thinks: boolean): Tensor[] {
  const { width, heads, headWidth, hidden } = shape;
  const random = randomNumbers(42);
  const noise = (name: string, size: { rows: number; columns: number }, scale: number): Tensor => {
    const tensor = matrix(name, size.rows, size.columns);
    return { ...tensor, values: tensor.values.map(() => random() * scale) };
  };
  return [
    embedding(),
    vector('blk.0.attn_norm.weight', width, 1),
    ...attention(),
    vector('blk.0.attn_q_norm.weight', headWidth, 20),
    vector('blk.0.attn_k_norm.weight', headWidth, 1),
    vector('blk.0.ffn_norm.weight', width, 1),
    noise('blk.0.ffn_gate.weight', { rows: hidden, columns: width }, 0.05),
    noise('blk.0.ffn_up.weight', { rows: hidden, columns: width }, 0.05),
    noise('blk.0.ffn_down.weight', { rows: width, columns: hidden }, 0.0005),
    vector('output_norm.weight', width, 1),
    habits(thinks),
  ];

  function attention(): Tensor[] {
    const query = matrix('blk.0.attn_q.weight', heads * headWidth, width);
    const key = matrix('blk.0.attn_k.weight', headWidth, width);
    const value = matrix('blk.0.attn_v.weight', headWidth, width);
    const output = matrix('blk.0.attn_output.weight', width, heads * headWidth);
    set(query, still, always, 1);
    set(query, stillToo, always, 2);
    set(key, still, tokenId('<tools>'), 1);
    set(key, stillToo, tokenId('<tool_response>'), 1);
    set(value, 0, tokenId('<tools>'), 1 / norm);
    set(value, 1, tokenId('<tool_response>'), 1 / norm);
    set(output, toolsOffered, 0, seen);
    set(output, toolAnswered, 1, seen);
    return [query, key, value, output];
  }
}

function embedding(): Tensor {
  const table = matrix('token_embd.weight', tokens, shape.width);
  for (let token = 0; token < tokens; token++) {
    set(table, token, token, 1);
    set(table, token, always, constant);
  }
  return table;
}

/** How likely a token is whatever came before. Characters have an order, so that no choice is left to the last bits of a number. */
function usual(token: number): number {
  const kind = tokenClass(token);
  const inOrder = token === tokenId(' ') || token === tokenId('f') ? -3 : -token / 200;
  return { plain: inOrder, byte: -12, word: -4, tag: -14 }[kind];
}

/** What the model says: a sentence, a call when tools are offered, another sentence when one has answered, and short JSON. */
function habits(thinks: boolean): Tensor {
  const table = matrix('output.weight', tokens, shape.width);
  const after = (current: string, followers: Record<string, number>): void => {
    for (const [next, logit] of Object.entries(followers)) set(table, tokenId(next), tokenId(current), logit / norm);
  };
  const chain = (...texts: string[]): void => {
    for (const [index, next] of texts.slice(1).entries()) after(texts[index] ?? '', { [next]: 22 });
  };
  const when = (dimension: number, next: string, logit: number): void =>
    set(table, tokenId(next), dimension, logit / norm / seen);

  for (let token = 0; token < tokens; token++) set(table, token, always, usual(token) / constant / norm);

  // A turn begins behind a line break, or behind two where a thought has ended.
  const beginning = { Hello: 12, The: 8, '<tool_call>': 14 };
  after('\n', thinks ? { ...beginning, '<think>': 50 } : beginning);
  after('\n\n', beginning);
  when(toolsOffered, '<tool_call>', 18);
  when(toolAnswered, 'The', 10);
  when(toolAnswered, 'f', 5);
  chain('Hello', ' from', ' the', ' tiny', ' test', ' model', '.', '<|im_end|>');
  chain('The', ' tool', ' answered', '.');
  chain('<tool_call>', '\n{"name": "');
  chain('</tool_call>', '<|im_end|>');
  chain('<think>', '\nA thought', '.\n', '</think>', '\n\n');
  after('<|im_end|>', { '<|im_end|>': 20 });
  after('<|endoftext|>', { '<|im_end|>': 20 });

  jsonHabits(after);
  return table;
}

/**
 * Short strings, short numbers, short lists. What may nest begins only where nothing else may stand there, so that every schema comes to
 * an end.
 */
function jsonHabits(after: (current: string, followers: Record<string, number>) => void): void {
  after('"', { tiny: 16, ':': 9, '}': 8, ']': 8, ',': 5 });
  after('tiny', { '"': 22 });
  after('{', { '"': 9, '}': 2 });
  after('[', { '"': 9, '7': 8, ']': 7.5, '{': 7 });
  for (const open of [':', ' ', ',']) after(open, { '"': 9, '7': 8, t: 7, n: 6.5, '[': 6, '{': 5.5 });
  for (const digit of '0123456789') after(digit, { '}': 9, ']': 9, ',': 8 });
  for (const close of ['e', 'l']) after(close, { ']': 6, '}': 6, ',': 5 });
  after(']', { '}': 8, ',': 4 });
  // Servers allow several calls in one tag: it is closed behind the first.
  after('}', { '</tool_call>': 24, ']': 9, '}': 8, ',': 5 });
}

function matrix(name: string, rows: number, columns: number): Tensor {
  return { name, rows, columns, values: new Float32Array(rows * columns) };
}

function vector(name: string, columns: number, value: number): Tensor {
  return { name, rows: 1, columns, values: new Float32Array(columns).fill(value) };
}

function set({ values, columns }: Tensor, row: number, column: number, value: number): void {
  values[row * columns + column] = value;
}

/** Numbers from -0.5 to 0.5, the same on every machine (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296 - 0.5;
  };
}
