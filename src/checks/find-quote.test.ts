import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findQuote } from './find-quote.ts';
import { standsIn } from './quote-text.ts';

function found(quote: string, content: string): string[] | undefined {
  return findQuote(quote, content)?.map(({ from, to }) => content.slice(from, to));
}

describe('the place of a quote', () => {
  it.each([
    ['as it is', 'ten percent off', 'Orders get ten percent off today.', ['ten percent off']],
    ['in other case and spacing', 'Ten Percent  off', 'Orders get ten\npercent off today.', ['ten\npercent off']],
    ['with other marks', '"30 units" - only', 'It says “30 units” – only then.', ['30 units” – only']],
    [
      'through emphasis',
      'the unit price is 129',
      'Today the **unit price** is 129 euros',
      ['the **unit price** is 129'],
    ],
    ['not in a longer number', '18 adults', '118 adults, then 18 adults', ['18 adults']],
    ['not in a decimal', 'costs 4', 'costs 4.50; shipping costs 4', ['costs 4']],
    [
      'around an ellipsis',
      'orders of 4,000 … ship free',
      'All orders of 4,000 euros or more ship free.',
      ['orders of 4,000', 'ship free'],
    ],
    ['without spaces between words', '单价为一百', '本品单价为一百元整', ['单价为一百']],
    ['the first of several', 'a b', 'a b a b', ['a b']],
    ['behind an emoji', 'fine', '😀😀 fine', ['fine']],
  ])('is found %s', (_, quote, content, spans) => {
    expect(found(quote, content)).toEqual(spans);
  });

  it('is nowhere when the quote does not stand there', () => {
    expect(found('20 percent', 'ten percent')).toBeUndefined();
    expect(found('', 'ten percent')).toBeUndefined();
  });

  it('is found exactly when the quote stands there, and the quote stands in what was found', () => {
    const word = fc.constantFrom('ten', 'Ten', '10', '1.5', '1', '5', 'percent', '单', '价', '…', '*off*', '“x”', '-');
    const text = fc
      .array(word, { maxLength: 12 })
      .chain((words) => fc.constantFrom(words.join(' '), words.join('\n ')));
    fc.assert(
      fc.property(text, text, (quote, content) => {
        const spans = findQuote(quote, content);
        expect(spans !== undefined).toBe(standsIn(quote, content));
        if (!spans) return;
        const [begin, end] = [spans[0]?.from ?? 0, spans.at(-1)?.to ?? 0];
        expect(standsIn(quote, content.slice(begin, end))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes little time in a large text', () => {
    const content = `${'lorem ipsum 12.5 dolor '.repeat(40_000)}the price is 129 euros${' sit amet'.repeat(1_000)}`;
    const began = Date.now();
    expect(found('the price is 129 euros', content)).toEqual(['the price is 129 euros']);
    expect(Date.now() - began).toBeLessThan(5_000);
  });
});
