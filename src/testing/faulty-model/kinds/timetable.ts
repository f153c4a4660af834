import type { TaskLanguage, TaskParts } from '../generated-task.ts';
import { calculate, calculation, computed, holdsNumber, search, slipOf } from '../parts.ts';
import { manners, type Setting, type Story, tell, type Values } from '../story.ts';

interface Trip {
  name: string;
  leaves: number;
  arrives: number;
}

const stops: Record<TaskLanguage, string[]> = {
  en: ['Alder Hill', 'Birchtown', 'Castle Road', 'Deepwater', 'Elm Market', 'Fairford'],
  zh: ['赤松山', '白桦镇', '城堡路', '深水埠', '榆树集', '福德'],
};

const hours: Record<TaskLanguage, [right: string, wrong: string]> = { en: ['minutes', 'hours'], zh: ['分钟', '小时'] };

/** How a timetable writes a line. */
const lines: ((trip: Trip, from: string, to: string) => string)[] = [
  ({ name, leaves, arrives }, from, to) => `${name}: ${from} ${clock(leaves)} – ${to} ${clock(arrives)}`,
  ({ name, leaves, arrives }, from, to) => `| ${name} | ${from} | ${clock(leaves)} | ${to} | ${clock(arrives)} |`,
  ({ name, leaves, arrives }, from, to) => `${clock(leaves)} ${from} → ${clock(arrives)} ${to} (${name})`,
];

/** How long a train takes, by a timetable that has replaced an earlier one. */
export function timetableTask(setting: Setting): TaskParts {
  const { language, place, draws } = setting;
  const [from = '', to = ''] = draws.some(stops[language], 2);
  const duration = draws.whole(50, 170);
  const series = draws.whole(2, 8) * 10;
  const trips = [6, 8, 10, 13, 16].map((hour, index): Trip => {
    const leaves = hour * 60 + draws.whole(0, 11) * 5;
    return { name: `R${series + index}`, leaves, arrives: leaves + duration + draws.whole(-9, 9) };
  });
  const [trip, another] = draws.some(trips, 2);
  if (!(trip && another)) throw new RangeError('timetableTask: too few trips');
  const before = trips.map((one) => ({
    ...one,
    leaves: one.leaves - draws.pick([7, 12, 22]),
    arrives: one.arrives + 3,
  }));
  const line = draws.pick(lines);
  const query = language === 'zh' ? `${place} 时刻表` : `${place} timetable`;
  const documents = [
    { title: `${query} 2026`, text: [validity[language].now, ...trips.map((one) => line(one, from, to))].join('\n') },
    {
      title: `${query} 2023`,
      text: [validity[language].before, ...before.map((one) => line(one, from, to))].join('\n'),
    },
  ];
  const values = ({ leaves, arrives }: Trip): Values => ({
    leaves: clock(leaves),
    arrives: clock(arrives),
    minutes: computed(lasting(clock(leaves), clock(arrives))),
    unit: hours[language][0],
    from,
    to,
  });
  const truth = values(trip);
  const known = `${documents.map(({ text }) => text).join('\n')}\n${calculation(expressionOf(truth))}`.replaceAll(
    ':',
    ' ',
  );
  const unknown = draws.until(
    () => ({ ...trip, leaves: trip.leaves - draws.whole(1, 49) }),
    ({ leaves }) => !holdsNumber(known, String(leaves % 60)),
  );
  const earlier = before.find(({ name }) => name === trip.name) ?? another;
  const reversed = { ...truth, from: to, to: from };
  const { input, mention, say } = words[language](trip.name, place, { from, to, manner: draws.pick(manners) });
  const lineOf = (read: Values): string =>
    line({ ...trip, leaves: minutesOf(read['leaves']), arrives: minutesOf(read['arrives']) }, from, to);
  const story: Story = {
    input,
    documents,
    truth,
    earlier: values(earlier),
    say,
    gist: `${truth['minutes']} min`,
    quotes: (read, used) => [[lineOf(read)], [calculation(expressionOf(used))]],
    calls: (used) => [search(query), calculate(expressionOf(used))],
    slips: {
      'wrong-claim-number': { said: values(unknown) },
      'laundered-number': { said: values(unknown), used: values(unknown) },
      'wrong-row': { said: values(another), used: values(another) },
      'wrong-claim-words': { said: reversed },
      'arithmetic-slip': { said: { ...truth, minutes: slipOf(draws, truth['minutes'] ?? '', known) } },
      'wrong-derived-unit': { said: { ...truth, unit: hours[language][1] } },
    },
    avoided: { text: another.name, sentence: mention(another.name) },
    planted: { values: { ...truth, minutes: '5' }, wanted: `5 ${hours[language][0]}`, claim: 1 },
  };
  return tell(story, setting);
}

const validity: Record<TaskLanguage, { now: string; before: string }> = {
  en: { now: 'Valid from 14 December 2025.', before: 'Valid from 10 December 2023 to 13 December 2025.' },
  zh: { now: '2025 年 12 月 14 日起施行。', before: '2023 年 12 月 10 日至 2025 年 12 月 13 日施行。' },
};

interface Words {
  input: string;
  say(said: Values): { answer: string; claims: string[] };
  mention(name: string): string;
}

interface Way {
  from: string;
  to: string;
  manner: (typeof manners)[number];
}

const words: Record<TaskLanguage, (name: string, place: string, way: Way) => Words> = {
  en: (name, place, way) => ({
    input: `How long does train ${name} take from ${way.from} to ${way.to} by the ${place} timetable in force?`,
    say: ({ leaves, arrives, minutes, unit, from, to }) => ({
      answer: `Train ${name} of the ${place} line takes ${minutes} ${unit} from ${from} (${leaves}) to ${to} (${arrives}).`,
      claims: [
        `Train ${name} leaves ${from} at ${leaves} and arrives at ${to} at ${arrives}.`,
        way.manner === 2 && unit === hours.en[0]
          ? `The trip takes ${minutes} ${unit}, that is ${inHours(minutes, ' h ', ' min')}.`
          : `${way.manner === 1 ? 'It is on the way for' : 'The trip takes'} ${minutes} ${unit}.`,
      ],
    }),
    mention: (other) => `There is ${other} as well.`,
  }),
  zh: (name, place, way) => ({
    input: `按现行的${place}时刻表，${name} 次列车从${way.from}到${way.to}要多久？`,
    say: ({ leaves, arrives, minutes, unit, from, to }) => ({
      answer: `${place}的 ${name} 次列车从${from}（${leaves}）到${to}（${arrives}）需要 ${minutes} ${unit}。`,
      claims: [
        `${name} 次列车 ${leaves} 从${from}发车，${arrives} 到达${to}。`,
        `全程 ${minutes} ${unit}${way.manner === 2 && unit === hours.zh[0] ? `，即 ${inHours(minutes, ' 小时 ', ' 分')}` : ''}。`,
      ],
    }),
    mention: (other) => `此外还有 ${other} 次列车。`,
  }),
};

function inHours(minutes: string | undefined, hour: string, minute: string): string {
  return `${Math.floor(Number(minutes) / 60)}${hour}${Number(minutes) % 60}${minute}`;
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

function minutesOf(time: string | undefined): number {
  const [hour = 0, minute = 0] = (time ?? '').split(':').map(Number);
  return hour * 60 + minute;
}

function expressionOf({ leaves, arrives }: Values): string {
  return lasting(leaves, arrives);
}

function lasting(leaves: string | undefined, arrives: string | undefined): string {
  const [from = [], to = []] = [leaves, arrives].map((time) => (time ?? '').split(':').map(Number));
  return `(${to[0]} * 60 + ${to[1]}) - (${from[0]} * 60 + ${from[1]})`;
}
