import { describe, expect, it } from 'vitest';
import type { Issue, Observation } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { consistency } from './consistency.ts';
import { offlineContext } from './offline.ts';

const task = { input: 'Answer from the documents', constraints: [], checks: [] };

function seen(id: Observation['id'], content: string, args: unknown = {}): Observation {
  return { id, path: '', tool: 'lookUp', args, status: 'ok', content, trust: 'untrusted' };
}

async function issuesOf(claims: string[], answer = 'as follows'): Promise<Issue[]> {
  const attempt = attemptWith({
    answer,
    claims: claims.map((text) => ({ text, evidence: [{ observation: 'obs-1', quote: text }] })),
    observations: [
      seen(
        'obs-1',
        `${claims[0]}\nOther figures: ${claims
          .join()
          .match(/[\d.,]+/g)
          ?.join('; ')}`,
      ),
    ],
  });
  return consistency.run(attempt, task, offlineContext());
}

describe('two statements of one attempt', () => {
  it.each([
    ['The annual fee of the silver card is $95.', 'The annual fee of the silver card is $120.'],
    ['The inn has 45 rooms', 'The inn has 54 rooms'],
    ['The firm was founded in 1998.', 'The firm was founded in 1989.'],
    ['Ida Holm built it; the **house** was completed in 1915.', 'Ida Holm built it; the house was completed in 1917.'],
    ['Train R24 leaves Elm at 16:00', 'Train R24 leaves Elm at 15:53'],
    ['The stock of rivets is 1649', 'The stock of rivets is 2,732'],
    ['建筑师是陆若水，1942 年完工。', '建筑师是陆若水，1941 年完工。'],
    ['The service is available in Norway', 'The service is not available in Norway'],
    ['Battery life is 5 hours', 'Battery life is 5 days'],
    ['Growth was 4.2%', 'Growth was 2.4%'],
    ['年费为95元。', '年费为120元。'],
    ['上海分店有32名员工', '上海分店有45名员工'],
  ])('cannot be %j and %j', async (one, other) => {
    expect(await issuesOf([one, other])).toMatchObject([{ type: 'contradiction', claim: one }]);
  });

  it('are also a claim and a sentence of the answer', async () => {
    const claim = 'The annual fee of the silver card is $95.';
    expect(await issuesOf([claim], 'Therefore, the annual fee of the silver card is **$120**.')).not.toEqual([]);
    expect(await issuesOf([claim], 'Therefore, the annual fee of the silver card is **$95**.')).toEqual([]);
  });

  it.each([
    ['of two rooms', 'Room 5 is free', 'Room 6 is free'],
    ['of two years', 'Income in 2021 was 5 million', 'Income in 2022 was 7 million'],
    ['of an event in two years', 'Sales fell in 2020', 'Sales fell in 2021'],
    ['of two names', 'Tier A costs $5', 'Tier B costs $7'],
    ['of two groups', 'Children under 5 pay 3 EUR', 'Children under 12 pay 6 EUR'],
    ['of two steps', 'Step 1 takes 5 minutes', 'Step 2 takes 10 minutes'],
    ['of which one is rounded', 'The annual fee is $1,195', 'The annual fee is about $1,200'],
    ['of the same amount', 'The box weighs 2.5 kg', 'The box weighs 2,500 g'],
    ['of two departures', 'The bus leaves Elm at 16:00', 'The bus leaves Elm at 15:53'],
    ['of two labels', 'Price: $10', 'Price: $20'],
    ['of two Chinese years', '2023年销量为5万台', '2024年销量为6万台'],
    ['of two Chinese steps', '第3步需要2个人', '第4步需要2个人'],
  ])('can be true together: %s', async (_, one, other) => {
    expect(await issuesOf([one, other])).toEqual([]);
  });

  it('may both be copied from what was read, where each stands under its own heading', async () => {
    const texts = ['As of 2010, the population was 37,492.', 'As of 2010, the population was 29,957.'];
    const claims = texts.map((text) => ({ text, evidence: [{ observation: 'obs-1', quote: text }] }));
    const attempt = attemptWith({ answer: 'see', claims, observations: [seen('obs-1', texts.join('\n'))] });
    expect(await consistency.run(attempt, task, offlineContext())).toEqual([]);
  });

  it('are not compared in lists and under headings, which carry their subject elsewhere', async () => {
    const claims = ['Tier A is $10 and tier B is $20'];
    expect(await issuesOf(claims, '## A\nThe price per user is $10\n## B\nThe price per user is $20')).toEqual([]);
    expect(await issuesOf(claims, '- Monthly price: $10\n- Monthly price: $20')).toEqual([]);
  });
});

describe('the number of a short answer', () => {
  it.each(['128', 'It is 128 EUR.', '共128元'])('%j is in no claim', async (answer) => {
    expect(await issuesOf(['The total is 120 EUR'], answer)).toMatchObject([{ type: 'contradiction' }]);
  });

  it.each(['120', 'It is 120 EUR.', '共一百二十元', 'About 0.12 thousand'])('%j is in a claim', async (answer) => {
    expect(await issuesOf(['The total is 120 EUR'], answer)).toEqual([]);
  });
});

describe('a quote that a later result replaced', () => {
  const args = { sku: 'x-1' };

  async function stale(text: string, later: Observation, alsoCited = false): Promise<Issue[]> {
    const attempt = attemptWith({
      answer: 'see the claims',
      claims: [
        { text, evidence: [{ observation: 'obs-1', quote: 'stock: 12' }] },
        ...(alsoCited ? [{ text: 'Now there are 9', evidence: [{ observation: later.id, quote: 'stock: 9' }] }] : []),
      ],
      observations: [seen('obs-1', 'stock: 12', args), later],
    });
    return consistency.run(attempt, task, offlineContext());
  }

  it('is stale', async () => {
    expect(await stale('There are 12 in stock', seen('obs-2', 'stock: 9', args))).toMatchObject([
      { type: 'contradiction', detail: expect.stringContaining('obs-2') },
    ]);
  });

  it.each([
    ['the later result says the same', 'There are 12 in stock', seen('obs-2', 'stock: 12 ', args)],
    ['the later call is another', 'There are 12 in stock', seen('obs-2', 'stock: 9', { sku: 'x-2' })],
    ['the claim is about before', 'There were 12 in stock', seen('obs-2', 'stock: 9', args)],
  ])('is not when %s', async (_, text, later) => {
    expect(await stale(text, later)).toEqual([]);
  });

  it('is not when both results are cited', async () => {
    expect(await stale('There are 12 in stock', seen('obs-2', 'stock: 9', args), true)).toEqual([]);
  });
});
