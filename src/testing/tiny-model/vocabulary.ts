/** Byte-level BPE as GPT-2 and Qwen have it: each byte is a token, a few merges, whole words that only the model itself writes. */

/** The printable character that stands for each byte in a vocabulary. */
const byteCharacters: readonly string[] = (() => {
  const printable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

const merged: readonly (readonly [string, string])[] = [
  ['t', 'h'],
  ['i', 'n'],
  ['e', 'r'],
  ['th', 'e'],
  ['a', 'n'],
  ['\n', '\n'],
];

/** No merge builds these, so that a prompt never holds them: the model knows its own words from those it is told. */
const words: readonly string[] = [
  'Hello',
  ' from',
  ' the',
  ' tiny',
  ' test',
  ' model',
  'The',
  ' tool',
  ' answered',
  'tiny',
  '\n{"name": "',
  '\nA thought',
  '.\n',
];

const control: readonly string[] = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const tags: readonly string[] = [
  '<tools>',
  '</tools>',
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
  '<think>',
  '</think>',
];

/** Types of tokens in a GGUF file. */
const kinds = { normal: 1, control: 3, userDefined: 4 } as const;

const rows: readonly { text: string; kind: number }[] = [
  ...byteCharacters.map((text) => ({ text, kind: kinds.normal })),
  ...merged.map(([left, right]) => ({ text: written(left + right), kind: kinds.normal })),
  ...words.map((word) => ({ text: written(word), kind: kinds.normal })),
  ...control.map((text) => ({ text, kind: kinds.control })),
  ...tags.map((text) => ({ text, kind: kinds.userDefined })),
];

/** Kernels work on rows of 32. */
const unused = Array.from({ length: -rows.length & 31 }, (_, index) => ({
  text: `<|unused_${index}|>`,
  kind: kinds.control,
}));

export const vocabulary: {
  readonly texts: readonly string[];
  readonly kinds: readonly number[];
  readonly merges: readonly string[];
} = {
  texts: [...rows, ...unused].map(({ text }) => text),
  kinds: [...rows, ...unused].map(({ kind }) => kind),
  merges: merged.map(([left, right]) => `${written(left)} ${written(right)}`),
};

const idByText = new Map(vocabulary.texts.map((text, id) => [text, id]));

/** What a token may be named by: a character, a word, or a tag. */
export function tokenId(text: string): number {
  const id = idByText.get(text) ?? idByText.get(written(text));
  if (id === undefined) throw new RangeError(`the vocabulary has no token for ${JSON.stringify(text)}`);
  return id;
}

/** `plain` for a printable character, `byte` for another one, `word` for several characters, `tag` for what is not text. */
export function tokenClass(id: number): 'plain' | 'byte' | 'word' | 'tag' {
  if (vocabulary.kinds[id] !== kinds.normal) return 'tag';
  if (id >= 256) return 'word';
  return id >= 32 && id <= 126 ? 'plain' : 'byte';
}

function written(text: string): string {
  return [...Buffer.from(text, 'utf8')].map((byte) => byteCharacters[byte]).join('');
}
