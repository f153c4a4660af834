import { expect, it } from 'vitest';
import { fencedBlocks } from './fenced-blocks.ts';

it.each([
  ['one block with its label', 'See:\n```Python\nx = 1\n```\nDone.', [{ label: 'python', code: 'x = 1\n' }]],
  ['tildes, and what only looks like an end', '~~~~\na\n~~~\nb\n~~~~', [{ label: '', code: 'a\n~~~\nb\n' }]],
  ['a longer end', '```js\ny\n`````', [{ label: 'js', code: 'y\n' }]],
  ['one that is not closed', 'x\n```ts title=a\nconst a = 1;\n', [{ label: 'ts', code: 'const a = 1;\n\n' }]],
  [
    'two',
    '```\na\n```\n```\nb\n```',
    [
      { label: '', code: 'a\n' },
      { label: '', code: 'b\n' },
    ],
  ],
  ['an empty one', '```\n```', [{ label: '', code: '' }]],
  ['none in a sentence', 'use ```x``` here and ```` ``` ````', []],
])('finds %s', (_, text, blocks) => {
  expect(fencedBlocks(text)).toEqual(blocks);
});

it('takes no longer than the text is long', () => {
  const began = performance.now();
  for (const text of ['~'.repeat(200_000), `\`\`\`${'a'.repeat(200_000)}`, '```\n'.repeat(50_000)]) fencedBlocks(text);
  expect(performance.now() - began).toBeLessThan(1_000);
});
