import { describe, expect, it } from 'vitest';
import type { Issue } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { offlineContext } from './offline.ts';
import { support } from './support.ts';

const task = { input: 'Answer from the documents', constraints: [], checks: [] };

async function issuesOf(text: string, quote: string, content = quote): Promise<Issue[]> {
  const attempt = attemptWith({
    answer: text,
    claims: [{ text, evidence: [{ observation: 'obs-1', quote }] }],
    observations: [
      { id: 'obs-1', path: '', tool: 'searchDocs', args: { query: 'x' }, status: 'ok', content, trust: 'untrusted' },
    ],
  });
  return support.run(attempt, task, offlineContext());
}

describe('a claim that does not say what its quote says', () => {
  it.each([
    ['denies it', 'The lease does not include parking spaces.', 'The lease includes parking spaces.'],
    ['leaves its negation out', 'The lease includes parking spaces.', 'The lease does not include parking spaces.'],
    ['has the opposite word', 'Rents decreased by 5% in Leeds', 'Rents increased by 5% in Leeds'],
    ['is about another letter', 'Tier B costs 10 EUR a month', 'Tier A costs 10 EUR a month'],
    ['is about another code', 'Income in Q3 was 4.2 million', 'Income in Q2 was 4.2 million'],
    ['has another unit', 'The tank holds 12 kg of gas', 'The tank holds 12 g of gas'],
    ['has another currency', 'The ticket costs 12 EUR', 'The ticket costs 12 USD'],
    ['denies it in Chinese', '会员不可以退票', '会员可以退票,需提前两天'],
    ['leaves out 不', '租约包括车位', '租约不包括车位'],
    ['has the opposite in Chinese', '2024年租金下降了5%', '2024年租金上升了5%'],
    ['has another unit in Chinese', '包裹重12千克', '包裹重12克'],
    ['has another currency in Chinese', '押金为500美元', '押金为500元'],
  ])('%s', async (_, text, quote) => {
    expect(await issuesOf(text, quote)).toMatchObject([{ type: 'contradiction', claim: text }]);
  });

  it('takes its number from another place of the source', async () => {
    const source = 'The survey asked 118 tenants; median age 54. 北京分店有32名员工，上海分店有45名员工。';
    expect(await issuesOf('The survey asked 54 tenants', 'The survey asked 118 tenants', source)).toHaveLength(1);
    expect(await issuesOf('北京分店有45名员工', '北京分店有32名员工', source)).toHaveLength(1);
    expect(await issuesOf('The survey asked 118 tenants', 'The survey asked 118 tenants', source)).toEqual([]);
  });

  it.each([
    ['One box of tiles comes to 63.85 EUR', '| tiles | box | 53.20 EUR |'],
    ['At Elm the oak board costs 63.85 EUR per metre', 'oak board: 53.20 EUR per metre'],
    ['There are 3,883 rivets, and 4,078 are required', '| rivets | 1,219 | 1,542 |'],
    ['Ida Holm built it, which was finished in 1938', 'The architect Ida Holm completed it in 1908.'],
    ['Train R40 leaves at 06:18', '| R40 | 06:50 |'],
    ['甲箱重 36.6 千克', '甲箱：69.9 千克'],
    ['高山的地砖每箱 63.85 元', '| 地砖 | 箱 | 53.20 元 |'],
  ])('takes its number from another row: %j', async (text, quote) => {
    const others =
      'tin: 63.85 EUR\n| nuts | 3,883 | 4,078 |\nIt was enlarged in 1938.\n| R41 | 06:18 |\n乙箱：36.6 千克\n铜管 63.85 元';
    expect(await issuesOf(text, quote, `List\n${quote}\n${others}`)).toMatchObject([{ type: 'contradiction' }]);
  });

  it('rests on a quote that was cut off behind its negation', async () => {
    const source = 'Note that the lease never covers broken windows. It covers the roof.';
    expect(await issuesOf('The lease covers broken windows', 'covers broken windows', source)).toHaveLength(1);
    expect(await issuesOf('The lease never covers broken windows', 'covers broken windows', source)).toEqual([]);
  });
});

describe('a computed number', () => {
  async function computedIssues(text: string, input: string, expression: string): Promise<Issue[]> {
    const seen = { path: '', args: {}, status: 'ok', trust: 'trusted' } as const;
    const attempt = attemptWith({
      claims: [{ text, evidence: [{ observation: 'obs-1', quote: 'a crate weighs 12 kg' }] }],
      observations: [
        { ...seen, id: 'obs-1', tool: 'searchDocs', content: 'a crate weighs 12 kg' },
        { ...seen, id: 'obs-2', tool: 'calculator', content: expression },
      ],
    });
    return support.run(attempt, { ...task, input }, offlineContext());
  }

  it('has the unit of what it was computed from', async () => {
    expect(await computedIssues('Four crates weigh 48 kg', 'How heavy are 4?', '12 * 4 = 48')).toEqual([]);
    expect(await computedIssues('Four crates weigh 48 lb', 'How heavy are 4?', '12 * 4 = 48')).toHaveLength(1);
  });

  it('may have another one that the task names or the computation converted to', async () => {
    expect(await computedIssues('It weighs 26.46 lb', 'How heavy in lb?', '12 / 0.45359 = 26.456')).toEqual([]);
    expect(await computedIssues('It weighs 26.46 lb', 'How heavy?', '12 / 0.45359 = 26.456')).toEqual([]);
  });
});

describe('a claim that does', () => {
  it.each([
    ['in other words', 'The lease excludes parking.', 'The lease does not include parking.'],
    ['although a part of it is negative', 'Tenants may use the gym', 'Tenants who have not paid may use the gym'],
    ['with an exception', 'The lease covers storm damage', 'The lease covers no damage other than storm damage'],
    ['from a table', 'Dogs are not allowed in flats', 'Dogs in flats: no'],
    ['from JSON', 'Dogs are not allowed in flats', '"dogsInFlatsAllowed": false'],
    ['with a zero', 'There is no booking fee for members', 'Booking fee for members: $0'],
    ['after a computation', 'Tier A costs $120 per year', 'Tier A costs $10 per month, that is $120 per year'],
    ['in another unit', 'The tank holds 12 kg of gas', 'The tank holds 12,000 g of gas'],
    ['in another compound unit', 'The lift moves at 2 m/s', 'The lift moves at 7.2 km/h'],
    ['in other units of time', 'The film lasts 1.5 hours', 'The film lasts 90 minutes'],
    ['with an idiom', 'Notice takes 3 days', 'Notice takes no less than 3 days'],
    ['of a comparison turned round', 'Higher doses worked less', 'Lower doses worked more than higher doses'],
    ['of a condition', 'If rent is not paid, the account is closed', 'Accounts are closed if rent is not paid'],
    ['with two negations', 'The flat must not be used as an office', 'The flat cannot be used as an office'],
    ['with 不仅', '会员可以免费退票', '会员不仅可以免费退票，还可以改签'],
    ['with 不锈钢', '产品采用不锈钢材质', '产品采用不锈钢材质'],
    ['with another Chinese unit', '全程约120公里', '全程约120千米'],
    ['in Chinese number words', '售价为一千二百元', '售价：1,200元'],
    ['with a unit the source leaves to the header', 'The bridge is 5 km long', 'length (km): 5; width (m): 5'],
  ])('%s', async (_, text, quote) => {
    expect(await issuesOf(text, quote)).toEqual([]);
  });

  it('with the number that follows its quote', async () => {
    expect(await issuesOf('The population is 5,200', 'Population (2021)', 'Population (2021) 5,200')).toEqual([]);
  });

  it('where one quote carries it and another does not', async () => {
    const quotes = ['Rents rose by 4% in Leeds', 'Rents rose by 6% in Leeds'];
    const text = 'Rents rose by 6% in Leeds';
    const attempt = attemptWith({
      claims: [{ text, evidence: quotes.map((quote) => ({ observation: 'obs-1', quote })) }],
      observations: [
        { id: 'obs-1', path: '', tool: 's', args: {}, status: 'ok', content: quotes.join('\n'), trust: 'untrusted' },
      ],
    });
    expect(await support.run(attempt, task, offlineContext())).toEqual([]);
  });
});
