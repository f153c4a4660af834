import type { Draws } from '../draws.ts';
import type { TaskLanguage, TaskParts } from '../generated-task.ts';
import { calculate, calculation, computed, different, holdsNumber, search, slipOf } from '../parts.ts';
import { manners, type Setting, type Story, tell, type Values } from '../story.ts';

interface Load {
  name: string;
  /** In kilograms. */
  heavy: string;
}

const names: Record<TaskLanguage, string[]> = {
  en: ['North', 'South', 'East', 'West', 'Upper', 'Lower'],
  zh: ['甲', '乙', '丙', '丁', '戊', '己'],
};

const units: Record<TaskLanguage, { kilogram: string; gram: string; other: string }> = {
  en: { kilogram: 'kg', gram: 'g', other: 't' },
  zh: { kilogram: '千克', gram: '克', other: '吨' },
};

/** How a record writes a reading. */
const lines: Record<TaskLanguage, ((name: string, weight: string) => string)[]> = {
  en: [
    (name, weight) => `Crate ${name}: ${weight}`,
    (name, weight) => `| crate ${name} | ${weight} |`,
    (name, weight) => `The scales showed ${weight} for crate ${name}.`,
  ],
  zh: [(name, weight) => `${name}箱：${weight}`, (name, weight) => `| ${name}箱 | ${weight} |`],
};

/** What two crates weigh together, one of them recorded in grams, by a record that was corrected. */
export function measurementsTask(setting: Setting): TaskParts {
  const { language, place, draws } = setting;
  const [crates, light = ''] = [draws.some(names[language], 4), draws.pick(names[language])];
  const weights = different(8, draws, () => weight(draws));
  const loads = crates.map((name, index): Load => ({ name, heavy: weights[index] ?? '' }));
  const [first, another] = loads;
  if (!(first && another)) throw new RangeError('measurementsTask: too few crates');
  const small = `${light}-2`;
  const grams = String(draws.whole(101, 989));
  const before = loads.map((load, index) => ({ ...load, heavy: weights[index + 4] ?? '' }));
  const { kilogram, gram, other } = units[language];
  const line = draws.pick(lines[language]);
  const query = language === 'zh' ? `${place} 称重记录` : `${place} weighing record`;
  const written = (list: Load[]): string =>
    [...list.map(({ name, heavy }) => line(name, `${heavy} ${kilogram}`)), line(small, `${grams} ${gram}`)].join('\n');
  const documents = [
    { title: `${query}, corrected`, text: `${states[language].now}\n${written(loads)}` },
    { title: `${query}, first version`, text: `${states[language].before}\n${written(before)}` },
  ];
  const sumOf = ({ first: heavy, factor }: Values): string => `${heavy} + ${grams} / ${factor}`;
  const values = (heavy: string, factor = '1000'): Values => {
    const total = computed(sumOf({ first: heavy, factor }));
    return { first: heavy, grams, factor, total, unit: kilogram, small: gram };
  };
  const truth = values(first.heavy);
  const known = `${documents.map(({ text }) => text).join('\n')}\n${calculation(sumOf(truth))}`;
  const unknown = values(
    draws.until(
      () => weight(draws),
      (heavy) => !holdsNumber(known, heavy),
    ),
  );
  const earlier = values(before[0]?.heavy ?? '');
  const misread = { ...values(first.heavy, '1'), small: kilogram };
  const otherRow = values(another.heavy);
  const { input, say, mention } = words[language](first.name, small, { place, manner: draws.pick(manners) });
  const story: Story = {
    input,
    documents,
    truth,
    earlier,
    say,
    gist: `${truth['total']} ${kilogram}`,
    quotes: (read, used) => [
      [line(first.name, `${read['first']} ${kilogram}`)],
      [line(small, `${grams} ${gram}`)],
      [calculation(sumOf(used))],
    ],
    calls: (used) => [search(query), calculate(sumOf(used))],
    slips: {
      'wrong-claim-number': { said: unknown },
      'laundered-number': { said: unknown, used: unknown },
      'wrong-row': { said: otherRow, used: otherRow },
      'arithmetic-slip': { said: { ...truth, total: slipOf(draws, truth['total'] ?? '', known) } },
      'unit-slip': draws.happens(0.5) ? { said: misread, used: misread } : { said: { ...truth, unit: other } },
    },
    avoided: { text: place, sentence: mention },
    planted: { values: { ...truth, total: '0.5' }, wanted: `0.5 ${kilogram}`, claim: 2 },
  };
  return tell(story, setting);
}

const states: Record<TaskLanguage, { now: string; before: string }> = {
  en: {
    now: 'Corrected after the scales were adjusted; the first version is void.',
    before: 'First version, before the scales were adjusted.',
  },
  zh: { now: '天平校准后的更正版，初版作废。', before: '初版，天平校准之前。' },
};

interface Words {
  input: string;
  say(said: Values): { answer: string; claims: string[] };
  mention: string;
}

interface Telling {
  place: string;
  manner: (typeof manners)[number];
}

const words: Record<TaskLanguage, (heavy: string, light: string, telling: Telling) => Words> = {
  en: (heavy, light, { place, manner }) => ({
    input: `What do crate ${heavy} and crate ${light} weigh together, in kilograms, by the valid weighing record of ${place}?`,
    say: ({ first, grams, total, unit, small }) => ({
      answer: `Crate ${heavy} and crate ${light} weigh ${total} ${unit} together.`,
      claims: [
        `Crate ${heavy} weighs ${first} ${unit}.`,
        `Crate ${light} weighs ${grams} ${small}${manner === 1 && small === 'g' ? ` (${inKilograms(grams)} kg)` : ''}.`,
        `Together they weigh ${total} ${unit}${manner === 2 ? `, or about ${Math.round(Number(total))} ${unit}` : ''}.`,
      ],
    }),
    mention: `They stood at ${place}.`,
  }),
  zh: (heavy, light, { place, manner }) => ({
    input: `按${place}有效的称重记录，${heavy}箱和${light}箱一共重多少千克？`,
    say: ({ first, grams, total, unit, small }) => ({
      answer: `${heavy}箱和${light}箱一共重 ${total} ${unit}。`,
      claims: [
        `${heavy}箱重 ${first} ${unit}。`,
        `${light}箱重 ${grams} ${small}${manner === 1 && small === '克' ? `（${inKilograms(grams)} 千克）` : ''}。`,
        `两箱合计 ${total} ${unit}${manner === 2 ? `，约 ${Math.round(Number(total))} ${unit}` : ''}。`,
      ],
    }),
    mention: `箱子放在${place}。`,
  }),
};

function inKilograms(grams: string | undefined): string {
  return String(Number(grams) / 1000);
}

/** Kilograms with one decimal that is not 0: a whole number could pass for the rounded sum. */
function weight(draws: Draws): string {
  return `${draws.whole(12, 98)}.${draws.whole(1, 9)}`;
}
