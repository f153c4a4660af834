import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './parse.ts';
import { splitReasoning } from './reasoning.ts';

describe('splitReasoning', () => {
  it.each([
    ['<think>Sum it up.</think>\nIt is 9.', 'Sum it up.', 'It is 9.'],
    ['<thinking>hm</thinking>Yes', 'hm', 'Yes'],
    ['<THINK>hm</Think> Yes', 'hm', 'Yes'],
    ['First <think>a</think>second <think>b</think>third', 'a\nb', 'First second third'],
    ['hm, 3*3 is 9</think>9', 'hm, 3*3 is 9', '9'],
    ['one</think>two</think>three', 'one\ntwo', 'three'],
    ['Well. <think>I wonder', 'I wonder', 'Well.'],
    ['<think>never ends', 'never ends', ''],
    ['<think>a <think> b</think> c </think> d', 'a <think> b\nc', 'd'],
    ['<think>\n\n</think>\n\nHello', '', 'Hello'],
  ])('takes the reasoning out of %j', (text, reasoning, rest) => {
    expect(splitReasoning(text)).toEqual({ reasoning, text: rest });
  });

  it('keeps a draft of an action out of what is parsed, with and without the opening tag', () => {
    const draft = '{"do":"erase","what":"all"}';
    const action = '{"do":"list","note":"see </think> in it"}';
    for (const text of [
      `<think>Maybe ${draft}? No.</think>\n${action}`,
      `Maybe ${draft}? No.</think>${action}`,
      `${draft} would be wrong.</think>\`\`\`json\n${action}\n\`\`\``,
    ]) {
      const parsed = parseJson(splitReasoning(text).text);
      expect(parsed).toMatchObject({ ok: true, value: { do: 'list', note: 'see </think> in it' } });
      expect(splitReasoning(text).reasoning).toContain(draft);
    }
  });

  it.each([
    '',
    '  plain text \n',
    '{"answer":"Write <think>this</think> or </think>."}',
    '["<think>"]',
    '"<think>"',
    '```json\n{"code":"</think>",}\n```',
    'The tag `<think>` opens it and `</think>` closes it.',
    'I think </thinker> < think >',
  ])('leaves %j as it is', (text) => {
    expect(splitReasoning(text)).toEqual({ reasoning: '', text });
  });

  it('leaves every JSON text as it is, whatever its strings mention', () => {
    const mention = fc.constantFrom('<think>', '</think>', 'a', '"', '`', '\\', '<thinking>');
    fc.assert(
      fc.property(fc.array(fc.array(mention).map((parts) => parts.join(''))), (strings) => {
        const text = JSON.stringify(strings);
        expect(splitReasoning(text)).toEqual({ reasoning: '', text });
      }),
    );
  });

  it('never leaves in the answer what stood between the tags', () => {
    const prose = fc.string({ unit: fc.constantFrom('a', ' ', '{', '}', '"', '`', '\n', '[', "'"), maxLength: 20 });
    fc.assert(
      fc.property(prose, prose, prose, (before, thought, after) => {
        const { text } = splitReasoning(`So ${before}<think>${thought}SECRET${thought}</think>${after}`);
        // A tag alone in inline code is a mention.
        fc.pre(!(before.endsWith('`') && thought.startsWith('`')));
        expect(text).not.toContain('SECRET');
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['<think>', '</think>', '<think></think>', '<think></think>{/*', '<think></think>{“', '`<think>`', '<'])(
    'splits a megabyte of %j in linear time',
    (unit) => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      const from = performance.now();
      splitReasoning(text);
      expect(performance.now() - from).toBeLessThan(1000);
    },
  );
});
