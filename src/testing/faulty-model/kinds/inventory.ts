import type { TaskLanguage, TaskParts } from '../generated-task.ts';
import { calculate, calculation, computed, different, holdsNumber, search, slipOf } from '../parts.ts';
import { drafts, manners, type Setting, type Story, type Values } from '../story.ts';

interface Part {
  name: string;
  stock: string;
  least: string;
}

const parts: Record<TaskLanguage, string[]> = {
  en: ['hex bolts', 'wing nuts', 'split pins', 'spring washers', 'rivets', 'threaded rods'],
  zh: ['六角螺栓', '蝶形螺母', '开口销', '弹簧垫圈', '铆钉', '螺杆'],
};

/** How a stock list writes a line. */
const lines: Record<TaskLanguage, ((part: Part) => string)[]> = {
  en: [
    ({ name, stock, least }) => `${name}: ${stock} in stock, at least ${least} required`,
    ({ name, stock, least }) => `| ${name} | ${stock} | ${least} |`,
  ],
  zh: [
    ({ name, stock, least }) => `${name}：库存 ${stock} 件，最低 ${least} 件`,
    ({ name, stock, least }) => `| ${name} | ${stock} | ${least} |`,
  ],
};

const outputSchema = {
  type: 'object',
  properties: {
    part: { type: 'string' },
    stock: { type: 'integer', minimum: 0 },
    missing: { type: 'integer' },
  },
  required: ['part', 'stock', 'missing'],
  additionalProperties: false,
};

/** How many of a part are missing, as JSON, by a stock list that has replaced an earlier one. */
export function inventoryTask(setting: Setting): TaskParts {
  const { language, place, draws } = setting;
  const stocks = different(8, draws, () => String(draws.whole(210, 4_800))).map(Number);
  const list = draws.some(parts[language], 4).map((name, index): Part => {
    const stock = stocks[index] ?? 0;
    return { name, stock: grouped(stock), least: grouped(stock + draws.whole(110, 900)) };
  });
  const [part, another] = list;
  if (!(part && another)) throw new RangeError('inventoryTask: too few parts');
  const before = list.map((one, index) => ({ ...one, stock: grouped(stocks[index + 4] ?? 0) }));
  const line = draws.pick(lines[language]);
  const query = language === 'zh' ? `${place} 库存` : `${place} stock list`;
  const documents = [
    { title: `${query} 2026-05`, text: [heads[language].now, ...list.map(line)].join('\n') },
    { title: `${query} 2026-02`, text: [heads[language].before, ...before.map(line)].join('\n') },
  ];
  const differenceOf = ({ stock = '', least = '' }: Values): string => `${plain(least)} - ${plain(stock)}`;
  const values = ({ stock, least }: Part): Values => ({
    stock,
    least,
    missing: computed(differenceOf({ stock, least })),
  });
  const truth = values(part);
  const known = `${documents.map(({ text }) => plain(text)).join('\n')}\n${calculation(differenceOf(truth))}`;
  const unknown = draws.until(
    () => ({ ...part, stock: grouped(draws.whole(210, 4_800)) }),
    ({ stock }) => !holdsNumber(known, plain(stock)),
  );
  const manner = draws.pick(manners);
  const story: Story = {
    input: questions[language](part.name, place),
    documents,
    truth,
    earlier: values(before[0] ?? part),
    say: ({ stock = '', least = '', missing = '' }) => ({
      answer: JSON.stringify({ part: part.name, stock: Number(plain(stock)), missing: Number(missing) }),
      claims: sayings[language](manner)({ name: part.name, stock, least }, missing),
    }),
    gist: `${truth['missing']}`,
    quotes: (read, used) => [
      [line({ name: part.name, stock: read['stock'] ?? '', least: read['least'] ?? '' })],
      [calculation(differenceOf(used))],
    ],
    calls: (used) => [search(query), calculate(differenceOf(used))],
    slips: {
      'wrong-claim-number': { said: values(unknown) },
      'laundered-number': { said: values(unknown), used: values(unknown) },
      'wrong-row': { said: values(another), used: values(another) },
      'arithmetic-slip': { said: { ...truth, missing: slipOf(draws, truth['missing'] ?? '', known) } },
    },
    avoided: { text: another.name, sentence: another.name },
    planted: { values: { ...truth, missing: '0' }, wanted: '{"missing":0}', claim: 1 },
  };
  const told = drafts(story, setting, (answer) => answer);
  const misshapen = draws.pick([
    JSON.stringify({ part: part.name, stock: part.stock, missing: truth['missing'] }),
    JSON.stringify({ part: part.name, stock: Number(plain(part.stock)) }),
    JSON.stringify({ name: part.name, stock: Number(plain(part.stock)), missing: Number(truth['missing']) }),
    `${part.name}: ${truth['missing']}`,
  ]);
  told.wrong['wrong-schema'] = { ...told.right, answer: misshapen };
  return { input: story.input, constraints: [], outputSchema, rules: [], ...told };
}

const heads: Record<TaskLanguage, { now: string; before: string }> = {
  en: { now: 'As of 31 May 2026', before: 'As of 28 February 2026' },
  zh: { now: '截至 2026 年 5 月 31 日', before: '截至 2026 年 2 月 28 日' },
};

const questions: Record<TaskLanguage, (name: string, place: string) => string> = {
  en: (name, place) =>
    `By the latest stock list of ${place}: how many ${name} are there, and how many are missing to the minimum?`,
  zh: (name, place) => `按${place}最新的库存表，${name}有多少件，离最低库存还差多少件？`,
};

type Saying = (part: Part, missing: string) => string[];

const sayings: Record<TaskLanguage, (manner: (typeof manners)[number]) => Saying> = {
  en:
    (manner) =>
    ({ name, stock, least }, missing) => [
      manner === 0
        ? `There are ${stock} ${name}, and ${least} are required.`
        : `The stock of ${name} is ${manner === 1 ? plain(stock) : stock}, the minimum is ${manner === 1 ? plain(least) : least}.`,
      `${plain(least)} - ${plain(stock)} = ${missing}, so ${missing} are missing.`,
    ],
  zh:
    (manner) =>
    ({ name, stock, least }, missing) => [
      manner === 0
        ? `${name}库存 ${stock} 件，最低 ${least} 件。`
        : `${name}有 ${plain(stock)} 件，最低库存为 ${plain(least)} 件。`,
      `${plain(least)} - ${plain(stock)} = ${missing}，还差 ${missing} 件。`,
    ],
};

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

function plain(text: string): string {
  return text.replaceAll(',', '');
}
