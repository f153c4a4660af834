import type { TaskLanguage, TaskParts } from '../generated-task.ts';
import { amount, calculate, calculation, computed, different, holdsNumber, search, slipOf } from '../parts.ts';
import { manners, type Setting, type Story, tell, type Values } from '../story.ts';

interface Good {
  name: string;
  unit: string;
  price: string;
  earlier: string;
}

const goods: Record<TaskLanguage, [name: string, unit: string][]> = {
  en: [
    ['copper pipe', 'metre'],
    ['brass valve', 'piece'],
    ['roof felt', 'roll'],
    ['oak board', 'metre'],
    ['lime plaster', 'bag'],
    ['floor tile', 'box'],
    ['wood glue', 'bottle'],
  ],
  zh: [
    ['铜管', '米'],
    ['黄铜阀门', '个'],
    ['屋面油毡', '卷'],
    ['橡木板', '米'],
    ['石灰砂浆', '袋'],
    ['地砖', '箱'],
    ['木工胶', '瓶'],
  ],
};

const currencies: Record<TaskLanguage, string[]> = { en: ['EUR', 'USD', 'GBP'], zh: ['元', '美元'] };

/** How a list writes a line. */
const lines: Record<TaskLanguage, ((good: Good, price: string, currency: string) => string)[]> = {
  en: [
    ({ name, unit }, price, currency) => `${name}: ${price} ${currency} per ${unit}`,
    ({ name, unit }, price, currency) => `| ${name} | ${unit} | ${price} ${currency} |`,
    ({ name, unit }, price, currency) => `One ${unit} of ${name} is sold at ${price} ${currency}.`,
  ],
  zh: [
    ({ name, unit }, price, currency) => `${name}：每${unit}${price}${currency}`,
    ({ name, unit }, price, currency) => `| ${name} | ${unit} | ${price} ${currency} |`,
  ],
};

/** What so many of one thing and so many of another cost together, by a list that has replaced an earlier one. */
export function pricesTask(setting: Setting): TaskParts {
  const { language, place, draws } = setting;
  const prices = different(10, draws, () => amount(draws, 3, 95));
  const list = draws
    .some(goods[language], 5)
    .map(([name, unit], index): Good => ({ name, unit, price: prices[index] ?? '', earlier: prices[index + 5] ?? '' }));
  const [first, second, third] = list;
  if (!(first && second && third)) throw new RangeError('pricesTask: too few goods');
  const [currency = '', other = ''] = draws.some(currencies[language], 2);
  const line = draws.pick(lines[language]);
  const [one = 0, two = 0] = draws.some([2, 3, 4, 6, 7, 8, 12, 15, 24, 36], 2);
  const query = language === 'zh' ? `${place} 价目表` : `${place} price list`;
  const written = (price: (good: Good) => string): string =>
    list.map((good) => line(good, price(good), currency)).join('\n');
  const documents = [
    { title: `${query} 2026`, text: `${validity[language].now}\n${written((good) => good.price)}` },
    { title: `${query} 2024`, text: `${validity[language].before}\n${written((good) => good.earlier)}` },
  ];
  const sumOf = ({ first: a, second: b }: Values): string => `${one} * ${a} + ${two} * ${b}`;
  const values = (a: string, b: string): Values => {
    const total = Number(computed(sumOf({ first: a, second: b }))).toFixed(2);
    return { first: a, second: b, total, currency };
  };
  const truth = values(first.price, second.price);
  const known = `${documents.map(({ text }) => text).join('\n')}\n${sumOf(truth)}\n${truth['total']}`;
  const unknown = values(
    draws.until(
      () => amount(draws, 3, 95),
      (price) => !holdsNumber(known, price),
    ),
    second.price,
  );
  const otherRow = values(third.price, second.price);
  const matter = { first, second, one, two, place, manner: draws.pick(manners) };
  const { input, mention } = words[language](matter);
  const story: Story = {
    input,
    documents,
    truth,
    earlier: values(first.earlier, second.earlier),
    say: words[language](matter).say,
    gist: `${truth['total']} ${currency}`,
    quotes: (read, used) => [
      [line(first, read['first'] ?? '', currency)],
      [line(second, read['second'] ?? '', currency)],
      [calculation(sumOf(used))],
    ],
    calls: (used) => [search(query), calculate(sumOf(used))],
    slips: {
      'wrong-claim-number': { said: unknown },
      'laundered-number': { said: unknown, used: unknown },
      'wrong-row': { said: otherRow, used: otherRow },
      'arithmetic-slip': { said: { ...truth, total: slipOf(draws, truth['total'] ?? '', known) } },
      'unit-slip': { said: { ...truth, currency: other } },
    },
    avoided: { text: third.name, sentence: mention(third) },
    planted: { values: { ...truth, total: '0.00' }, wanted: `0.00 ${currency}`, claim: 2 },
  };
  return tell(story, setting);
}

const validity: Record<TaskLanguage, { now: string; before: string }> = {
  en: {
    now: 'Valid from 1 March 2026. Replaces all earlier lists.',
    before: 'Valid from 1 March 2024 until a new list appears.',
  },
  zh: { now: '自 2026 年 3 月 1 日起生效，取代以前的价目表。', before: '自 2024 年 3 月 1 日起生效，新表发布后作废。' },
};

interface Matter {
  first: Good;
  second: Good;
  one: number;
  two: number;
  place: string;
  manner: (typeof manners)[number];
}

interface Words {
  input: string;
  say: (said: Values) => { answer: string; claims: string[] };
  mention: (good: Good) => string;
}

const words: Record<TaskLanguage, (matter: Matter) => Words> = {
  en: ({ first, second, one, two, place, manner }) => ({
    input: `How much do ${one} × ${first.name} (by the ${first.unit}) and ${two} × ${second.name} (by the ${second.unit}) cost together at ${place} now?`,
    say: ({ first: a, second: b, total, currency }) => ({
      answer: `${one} × ${first.name} and ${two} × ${second.name} cost ${total} ${currency} at ${place}.`,
      claims: [
        ...[first, second].map(({ name, unit }, index) => {
          const price = `${index === 0 ? a : b} ${currency}`;
          if (manner === 2) return `One ${unit} of ${name} comes to ${price} at ${place}.`;
          return `At ${place} the ${name} ${manner === 0 ? 'costs' : 'is sold for'} ${price} per ${unit}.`;
        }),
        manner === 1
          ? `Together that makes ${total} ${currency}.`
          : `${one} × ${a} + ${two} × ${b} = ${total} ${currency}.`,
      ],
    }),
    mention: ({ name }) => `The list also has ${name}.`,
  }),
  zh: ({ first, second, one, two, place, manner }) => ({
    input: `现在在${place}买 ${one} ${first.unit}${first.name}和 ${two} ${second.unit}${second.name}一共多少钱？`,
    say: ({ first: a, second: b, total, currency }) => ({
      answer: `在${place}，${one} ${first.unit}${first.name}和 ${two} ${second.unit}${second.name}一共 ${total} ${currency}。`,
      claims: [
        `${place}的${first.name}每${first.unit} ${a} ${currency}。`,
        `${place}的${second.name}每${second.unit} ${b} ${currency}。`,
        manner === 1 ? `两项合计 ${total} ${currency}。` : `${one} × ${a} + ${two} × ${b} = ${total} ${currency}。`,
      ],
    }),
    mention: ({ name }) => `价目表上还有${name}。`,
  }),
};
