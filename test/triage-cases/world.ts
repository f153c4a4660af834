import type { Json } from '../../src/core/json.ts';
import type { Plan } from '../../src/core/task.ts';
import { Draws } from '../../src/testing/faulty-model/draws.ts';

/** A row of a source: what it is about, its year, its place and its value. */
export interface Row {
  name: string;
  year: number;
  value: string;
}

/** A question on one row of a small table, with its true answer and a few that are not. */
export interface World {
  draws: Draws;
  zh: boolean;
  id: string;
  input: string;
  constraints: string[];
  expected: Json;
  right: string;
  /** Another value of the same table, and its row. */
  other: Row;
  /** A value that stands in no source. */
  absent: string;
  row: Row;
  rows: Row[];
  query: Record<string, Json>;
  tool: string;
  /** The text of rows as the tool returns it. */
  table(rows: readonly Row[]): string;
  sentence(row: Row): string;
  /** A plan that names the row, the year and every constraint. */
  plan(): Plan;
}

const goods = {
  en: [
    'copper pipe',
    'brass valve',
    'roof felt',
    'oak board',
    'lime plaster',
    'floor tile',
    'wood glue',
    'cedar shingle',
  ],
  zh: ['铜管', '黄铜阀门', '屋面油毡', '橡木板', '石灰砂浆', '地砖', '木工胶', '雪松瓦'],
};
const places = { en: ['Ostrava', 'Leuven', 'Tampere', 'Girona'], zh: ['宁波', '兰州', '大理', '烟台'] };
const people = {
  en: ['Ada Linden', 'Marek Sobol', 'Ines Calder', 'Tom Abery', 'Lea Moritz', 'Juno Park', 'Petra Vance', 'Olaf Rye'],
  zh: ['林安达', '苏马雷', '柯依娜', '阿贝理', '莫丽雅', '朴俊娜', '万佩特', '莱奥拉'],
};
const tools = ['searchDocs', 'lookup', 'price_list', 'queryTable'];

/** A world from a seed; half of the worlds ask for a number, half for a name; English and Chinese. */
export function worldOf(seed: string): World {
  const draws = new Draws(seed);
  const zh = draws.happens(0.4);
  const language = zh ? 'zh' : 'en';
  const named = draws.happens(0.4);
  const place = draws.pick(places[language]);
  const years = draws.some([2019, 2020, 2021, 2022, 2023, 2024], 2);
  const values = named ? draws.some(people[language], 6) : numbers(draws);
  const names = draws.some(goods[language], 3);
  const rows = names.flatMap((name, index) =>
    years.map((year, turn): Row => ({ name, year, value: values[index * 2 + turn] ?? '' })),
  );
  const row = draws.pick(rows);
  const other = draws.pick(rows.filter(({ name, year }) => name !== row.name && year === row.year));
  const input = question({ zh, named, place, row });
  const right = row.value;
  const absent = named
    ? draws.pick(people[language].filter((one) => !values.includes(one)))
    : String(draws.whole(7001, 9876));
  const sentence = ({ name, year, value }: Row): string =>
    zh
      ? `${place}${name}，${year}年：${named ? '负责人是' : '库存为'}${value}。`
      : `${name}, ${place}, ${year}: ${named ? 'kept by' : 'stock'} ${value}.`;
  return {
    draws,
    zh,
    id: `task-${seed}`,
    input,
    right,
    other,
    absent,
    row,
    rows,
    sentence,
    constraints: [],
    expected: named || draws.happens(0.5) ? right : Number(right),
    tool: draws.pick(tools),
    query: { query: zh ? `${place} ${row.name} ${row.year}` : `${place} ${row.name} ${row.year}` },
    table: (shown) => [zh ? `${place}登记表` : `Register of ${place}`, ...shown.map(sentence)].join('\n'),
    plan: () => planOf(input, row, zh),
  };
}

function numbers(draws: Draws): string[] {
  const found = new Set<string>();
  while (found.size < 6) found.add(String(draws.whole(101, 1800)));
  return [...found];
}

function question({ zh, named, place, row }: { zh: boolean; named: boolean; place: string; row: Row }): string {
  if (zh) return `${row.year}年${place}的${row.name}${named ? '由谁负责' : '库存是多少'}？`;
  return named
    ? `Who kept the ${row.name} at ${place} in ${row.year}?`
    : `How many units of ${row.name} were in stock at ${place} in ${row.year}?`;
}

function planOf(goal: string, row: Row, zh: boolean): Plan {
  const steps = zh
    ? [`查找${row.name}在${row.year}年的登记`, `读出${row.name}的数值`, '给出答案']
    : [`Find the register entry of ${row.name} for ${row.year}`, `Read the value of ${row.name}`, 'Give the answer'];
  return {
    goal,
    constraints: [],
    givens: [],
    effects: [],
    steps: steps.map((objective, index) => ({
      id: `s${index + 1}`,
      objective,
      needsExternalInfo: index === 0,
      successCondition: '',
      status: 'todo',
    })),
  };
}

/** An answer that states the value, in one of several manners. */
export function stating({ draws, zh }: World, value: string): string {
  return draws.pick(
    zh ? [value, `答案是${value}。`, `是${value}。`] : [value, `The answer is ${value}.`, `It was ${value}.`],
  );
}
