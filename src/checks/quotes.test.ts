import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attempt, Issue, Observation } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { offlineContext } from './offline.ts';
import { standsIn } from './quote-text.ts';
import { quotes } from './quotes.ts';

const report = `The **harbour** handled 2,417 ships in 2021, up 3.8% from the year before.
"It won't last", said the pilot – a man of few words. Revenue was $1.2 million; costs were unlikely to fall.
港口在2021年共处理了3万吨
货物。`;

function observed(content: string, id: Observation['id'] = 'obs-1', tool = 'fetch'): Observation {
  return { id, path: '', tool, args: { year: 1987 }, status: 'ok', content, trust: 'untrusted' };
}

async function issuesOf(text: string, quote: string, others: Partial<Attempt> = {}): Promise<Issue[]> {
  const attempt = attemptWith({
    answer: text,
    claims: [{ text, evidence: [{ observation: 'obs-1', quote }] }],
    observations: [observed(report)],
    ...others,
  });
  const task = { input: 'Compare with 640 ships in 1950', constraints: ['name 5 ports'], checks: [] };
  return quotes.run(attempt, task, offlineContext());
}

describe('a quote stands in its observation', () => {
  it.each([
    ['word for word', 'handled 2,417 ships in 2021'],
    ['across a line break', 'the year before. "It won\'t last"'],
    ['with other white space', 'up\u00a03.8%  from\nthe year'],
    ['in another case', 'THE HARBOUR HANDLED'],
    ['without the Markdown emphasis', 'The harbour handled'],
    ['with emphasis of its own', '_The_ harbour **handled** 2,417'],
    ['with curly quotation marks', '“It won’t last”, said'],
    ['with another dash', 'pilot — a man'],
    ['in quotation marks', '"costs were unlikely to fall"'],
    ['with a full stop of its own', 'up 3.8%.'],
    ['in full-width forms', 'Ｒｅｖｅｎｕｅ was $１.２ million'],
    ['with an ellipsis', 'The harbour … up 3.8%'],
    ['with three points', 'handled 2,417 ships ... [...] a man of few words...'],
    ['in Chinese across a line break', '3万吨货物'],
    ['as part of a Chinese sentence', '处理了'],
  ])('%s', async (_, quote) => {
    expect(await issuesOf('The port was busy', quote)).toEqual([]);
  });

  it.each([
    ['other words', 'handled 2,417 boats'],
    ['another number', 'handled 2,471 ships'],
    ['the end of a number', '417 ships in 2021'],
    ['the start of a number', 'handled 2'],
    ['the end of a word that means the contrary', 'likely to fall'],
    ['half a decimal number', '8% from the year'],
    ['parts in the wrong order', 'up 3.8% … handled 2,417 ships'],
    ['a part that is missing', 'The harbour … sank'],
    ['words joined that are not', 'The harbour up 3.8%'],
  ])('not with %s', async (_, quote) => {
    expect(await issuesOf('The port was busy', quote)).toMatchObject([
      { type: 'unsupported_claim', claim: 'The port was busy', detail: expect.stringContaining('obs-1') },
    ]);
  });

  it.each(['', '  ', '"', '…', '. . .', 't', '港'])('%j is too little to count', async (quote) => {
    expect(await issuesOf('The port was busy', quote)).toHaveLength(1);
  });

  it('holds for any part of a text at word boundaries', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{2,6}$/), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (list, a, b) => {
        const [from, to] = [a % list.length, b % list.length].sort((x, y) => x - y) as [number, number];
        expect(standsIn(list.slice(from, to + 1).join('\n'), list.join(' '))).toBe(true);
        expect(standsIn(`${list.slice(from, to + 1).join(' ')} zzzzzzz`, list.join(' '))).toBe(false);
      }),
    );
  });

  it('leaves citations that do not resolve to the evidence check', async () => {
    expect(await issuesOf('The port had 99 ships', 'nothing', { observations: [] })).toEqual([]);
  });
});

describe('numbers of a claim', () => {
  const quote = 'The harbour handled';

  it.each([
    ['as written', '2,417 ships came'],
    ['without separators', '2417 ships came'],
    ['full-width', '２４１７ ships came'],
    ['of another part of the observation', 'Revenue was $1.2 million'],
    ['written out', 'Revenue was 1,200,000 dollars'],
    ['rounded', 'Traffic rose by about 4%'],
    ['roughly', 'Around 2,400 ships came'],
    ['at a bound', 'More than 2,300 ships came'],
    ['with a Chinese unit', '共30,000吨'],
    ['of the task', 'In 1950 it was 640'],
    ['of a constraint', 'These are the 5 ports'],
    ['of the arguments of the call', 'The figure for 1987 is missing'],
    ['in a name', 'GPT-4 and obs-3 and H2O say so'],
    ['in a citation mark', 'The port was busy [3][4, 7]'],
    ['in a list mark', '9. The port was busy'],
    ['computed in the claim', '2,417 + 640 = 3,057 ships'],
    ['with other zeros', '2417.0 ships and 3.80%'],
  ])('are found %s', async (_, text) => {
    expect(await issuesOf(text, quote)).toEqual([]);
  });

  it.each([
    ['2,471 ships came', '2,471'],
    ['241 ships came', '241'],
    ['Revenue was $1.2 billion', '1.2 billion'],
    ['Traffic rose by 38%', '38%'],
    ['About 4,000 ships came', '4,000'],
    ['Costs were 3.9%', '3.9%'],
    ['共4万吨', '4万'],
  ])('are missed in %s', async (text, number) => {
    const [issue, ...more] = await issuesOf(text, quote);
    expect(more).toEqual([]);
    expect(issue?.detail).toContain(number);
  });

  it('may come from the calculator, not from another tool that is not cited', async () => {
    const calculated = observed('2417 / 12 = 201.41666666666666667', 'obs-2', 'calculator');
    const text = 'That is 201.4 ships a month';
    expect(await issuesOf(text, quote, { observations: [observed(report), calculated] })).toEqual([]);
    const searched = { ...calculated, tool: 'search' };
    expect(await issuesOf(text, quote, { observations: [observed(report), searched] })).toHaveLength(1);
  });

  it('match number words and months of the source', async () => {
    const observations = [observed('The three crews met on May 7, twenty-five in all; 十二人缺席')];
    expect(
      await issuesOf('3 crews, 25 people, 12 absent, on 2021-05-07', 'The three crews', { observations }),
    ).toHaveLength(1);
    expect(await issuesOf('3 crews, 25 people, 12 absent, on 05-07', 'The three crews', { observations })).toEqual([]);
  });

  it.each([
    ['250 people came', 'Two hundred and fifty people came'],
    ['120,000 people came', 'a hundred and twenty thousand people'],
    ['It grew by 25%', 'It grew by a quarter, twenty-five percent'],
    ['12 units are left', 'One dozen units are left'],
    ['They doubled, a factor of 2', 'The figures doubled'],
    ['有3500人', '三千五百人'],
    ['占比30%', '三成用户'],
    ['共有一百二十人', '120人'],
    ['There were twelve of us', '12 participants'],
    ['1.200 Einwohner', '1200 Einwohner'],
    ['12 500 personnes', '12,500 personnes'],
    ['It costs 1234.56', 'Preis: 1.234,56 Euro'],
    ['It has 1,234,567 people', 'Population 12,34,567'],
    ["1'200 Franken", '1200 Franken'],
    ['It opens at 3 pm', 'opening time 15:30'],
    ['It opens at 15:00', 'It opens at 3 pm'],
    ['It weighs 2.5 kg', 'weight 2500 g'],
    ['It takes 1.5 hours', 'duration: 90 minutes'],
  ])('%j are found in %j', async (text, content) => {
    expect(await issuesOf(text, content, { observations: [observed(content)] })).toEqual([]);
  });

  it.each([
    ['Twelve people came', '13 people came'],
    ['共有一百二十人', '共有130人'],
    ['It weighs 2.5 kg', 'weight 250 g'],
    ['1.200 Einwohner', '1300 Einwohner'],
  ])('%j are missed in %j', async (text, content) => {
    expect(await issuesOf(text, content, { observations: [observed(content)] })).toHaveLength(1);
  });

  it.each(['Two of them agree', '第二十三条适用', '数百人到场，几十人缺席', '效果十分好'])(
    '%j states none',
    async (text) => {
      expect(await issuesOf(text, quote)).toEqual([]);
    },
  );

  it('do not come from what a computation began with, unless the claim cites it', async () => {
    const calculated = observed('99 * 2 = 198', 'obs-2', 'calculator');
    const observations = [observed(report), calculated];
    expect(await issuesOf('That is 198 in all', quote, { observations })).toEqual([]);
    expect(await issuesOf('There were 99 of them', quote, { observations })).toHaveLength(1);
    const evidence = [{ observation: 'obs-2', quote: '99 * 2 = 198' }];
    expect(
      await issuesOf('2 × 99 = 198', quote, { observations, claims: [{ text: '2 × 99 = 198', evidence }] }),
    ).toEqual([]);
  });

  it.each([
    ['It leaves at 16:30', true],
    ['It leaves at 4:30 pm', true],
    ['It arrives at 08:15', true],
    ['It takes from 16:30 to 20:15', true],
    ['It leaves at 16:15', false],
    ['It leaves at 20:30', false],
  ])('that are times of day are taken as a whole: %j', async (text, right) => {
    const observations = [observed('| R34 | 16:30 | 20h15 |, 4 stops, 8 coaches')];
    expect(await issuesOf(text, 'R34', { observations })).toHaveLength(right ? 0 : 1);
  });

  it('may be said again in other units', async () => {
    const calculated = observed('15 * 60 + 33 - 13 * 60 = 153', 'obs-2', 'calculator');
    const observations = [observed(report), calculated];
    expect(await issuesOf('It takes 153 minutes, that is 2 h 33 min', quote, { observations })).toEqual([]);
    expect(await issuesOf('全程 153 分钟，即 2 小时 33 分', quote, { observations })).toEqual([]);
    expect(await issuesOf('It takes 153 minutes, that is 2 h 43 min', quote, { observations })).toHaveLength(1);
  });

  it('may come from code that was run', async () => {
    const ran = observed('{"ended":"completed","result":"201.4"}', 'obs-2', 'runCode');
    expect(await issuesOf('That is 201.4 a month', quote, { observations: [observed(report), ran] })).toEqual([]);
  });

  it('compare long numbers digit by digit', async () => {
    const observations = [observed('Account 90071992547409931 is open')];
    expect(await issuesOf('Account 90071992547409931', 'Account', { observations })).toEqual([]);
    expect(await issuesOf('Account 90071992547409932', 'Account', { observations })).toHaveLength(1);
  });
});
