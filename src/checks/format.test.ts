import { describe, expect, it } from 'vitest';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { attemptWith } from '../testing/attempt.ts';
import { constraints } from './constraints.ts';
import { type FormatOptions, format } from './format.ts';
import { languageOf } from './language.ts';
import { offlineContext } from './offline.ts';

const task = { input: 'x', constraints: [], checks: [] };

async function issuesOf(answer: string, options: FormatOptions): Promise<Issue[]> {
  return format(options).run(attemptWith({ answer }), task, offlineContext());
}

describe('the language of a text', () => {
  it.each([
    ['en', 'The tower is 330 metres high and it was built in 1889.'],
    ['de', 'Der Turm ist 330 Meter hoch und wurde im Jahr 1889 gebaut.'],
    ['fr', 'La tour est haute de 330 mètres et a été construite en 1889.'],
    ['es', 'La torre tiene 330 metros de altura y fue construida en el año 1889.'],
    ['it', 'La torre è alta 330 metri ed è stata costruita nel 1889 per la mostra.'],
    ['pt', 'A torre tem 330 metros de altura e foi construída em 1889 para a exposição.'],
    ['zh', '铁塔高330米，建于1889年。'],
    ['zh', '根据 README 文件，运行 npm install 和 npm test 即可完成安装。'],
    ['ja', 'この塔は高さ330メートルで、1889年に建てられました。'],
    ['ko', '탑의 높이는 330미터입니다. 1889년에 지어졌습니다.'],
    ['en', 'The words "保修不包括水损，但包括跌落" stand in the document, which is about the warranty.'],
  ])('is %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });

  it.each([
    '330',
    'OK.',
    'Tour Eiffel, Paris',
    'A: $10, B: $20',
    '```\nif this is not the end of it\n```',
    'useMemo or 记忆',
  ])('is not known for %j', (text) => {
    expect(languageOf(text)).toBeUndefined();
  });
});

describe('format', () => {
  const text = 'Bring a coat, a well-known map and water. It will be cold!';

  it.each<[string, FormatOptions]>([
    ['too many words', { maxWords: 11 }],
    ['too few words', { minWords: 14 }],
    ['too many characters', { maxCharacters: 57 }],
    ['too few characters', { minCharacters: 59 }],
    ['too many sentences', { maxSentences: 1 }],
    ['another language', { language: 'de' }],
    ['a missing word', { mustInclude: ['gloves'] }],
    ['a word only inside another one', { mustInclude: ['old'] }],
    ['no match', { mustInclude: [/\d/] }],
    ['a word that it must not have', { mustNotInclude: ['COAT'] }],
  ])('finds %s', async (_, options) => {
    expect(await issuesOf(text, options)).toMatchObject([{ type: 'missed_constraint' }]);
  });

  it('finds nothing in a text that is as asked', async () => {
    const lengths = { maxWords: 12, minWords: 13, maxCharacters: 58, minCharacters: 58, maxSentences: 2 };
    const parts = { mustInclude: ['Cold', 'a  coat', /map|plan/g], mustNotInclude: ['car', /\d/] };
    expect(await issuesOf(text, { ...lengths, ...parts, language: 'en' })).toEqual([]);
    expect(await issuesOf('  12 **bold** words ', { mustInclude: ['12 bold'], maxWords: 3, language: 'de' })).toEqual(
      [],
    );
  });

  it('counts Chinese by words and by 字', async () => {
    expect(await issuesOf('请带上外套和水。OK 2024', { maxHanCharacters: 9, maxWords: 8 })).toEqual([]);
    expect(await issuesOf('请带上外套和水。OK 2024', { maxHanCharacters: 8 })).toHaveLength(1);
  });

  it('refuses what is no condition', () => {
    expect(() => format({})).toThrow(UsageError);
    expect(() => format({ maxWords: -1 })).toThrow(/maxWords is -1/);
  });
});

describe('constraints in words', () => {
  async function missed(constraint: string, answer: string): Promise<number> {
    const issues = await constraints.run(
      attemptWith({ answer }),
      { ...task, constraints: [constraint] },
      offlineContext(),
    );
    return issues.length;
  }

  it.each([
    ['Answer in German.', 'The tower is high and it was built in 1889.', 'Der Turm ist hoch und wurde 1889 gebaut.'],
    ['at most 5 words', 'one two three four five six', 'one two three four five'],
    ['The answer must be at most 5 words long.', 'one two three four five six', 'five'],
    ['Keep it under 4 words', 'one two three four', 'one two three'],
    ['Explain in 3 words or fewer', 'one two three four', 'one'],
    ['at least 3 words', 'one', 'one two three'],
    ['No more than 2 sentences', 'One is. Two is. Three is.', 'One is. Two is.'],
    ['Must include the phrase "no refund"', 'refunds are not given', 'There is No Refund.'],
    ['Mention "A-17".', 'Use A-1.', 'Use A-17.'],
    ['Do not mention "Ida Holm" in the answer.', 'It was Ida Holm.', 'It was Ida.'],
    ['回答不超过 5 个字。', '一二三四五六', '一二三四五'],
    ['Do not mention the word "cheap"', 'It is cheap.', 'It is cheaper.'],
    ['Avoid the term “guarantee”', 'We guarantee it', 'We say so'],
    ['必须包含“免责声明”', '无', '附免责声明。'],
    ['回答中不得出现“保证”', '我们保证', '我们认为'],
    ['不超过5字', '一二三四五六', '一二三四五'],
    ['用中文回答', 'The tower is high and it was built in 1889.', '铁塔高330米，建于1889年。'],
  ])('%j is measured', async (constraint, bad, good) => {
    expect(await missed(constraint, bad)).toBe(1);
    expect(await missed(constraint, good)).toBe(0);
  });

  it.each([
    'Answer in English unless the user wrote German',
    'each item at most 5 words',
    'The title has at most 3 words',
    'Include the price of each room',
    'Use metric units',
    'Limit each bullet to 3 words',
    'name 5 ports',
  ])('%j is left to the verifier', async (constraint) => {
    expect(await missed(constraint, 'Der Turm ist hoch und wurde im Jahr 1889 gebaut.')).toBe(0);
  });
});
