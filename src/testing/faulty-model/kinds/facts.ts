import type { TaskLanguage, TaskParts } from '../generated-task.ts';
import { holdsNumber, search } from '../parts.ts';
import { manners, type Setting, type Story, tell, type Values } from '../story.ts';

const people: Record<TaskLanguage, string[]> = {
  en: ['Ida Holm', 'Max Ferrer', 'Ruth Okafor', 'Jan Brandt', 'Lena Vos', 'Omar Haddad'],
  zh: ['何依兰', '费明', '陆若水', '白建', '方莲', '韩默'],
};

const days: Record<TaskLanguage, [string, string, string]> = {
  en: ['Mondays', 'Sundays', 'public holidays'],
  zh: ['星期一', '星期日', '节假日'],
};

/** Who built a house, when, and when it is closed, by a guide that corrects an earlier one. */
export function factsTask(setting: Setting): TaskParts {
  const { language, place, draws } = setting;
  const [architect = '', owner = '', stranger = ''] = draws.some(people[language], 3);
  const [day = '', otherDay = ''] = draws.some(days[language], 2);
  const year = draws.whole(1805, 1989);
  const [enlarged, before] = [year + draws.whole(4, 30), year - draws.whole(1, 9)];
  const truth: Values = { architect, year: String(year), day };
  const earlier: Values = { architect, year: String(before), day };
  const query = language === 'zh' ? `${place} 导览` : `${place} guide`;
  const { input, say, sentences, document, first, mention } = words[language](place, draws.pick(manners));
  const now = document(sentences(truth), { owner, enlarged: String(enlarged), otherDay });
  const documents = [
    { title: `${query}, third edition`, text: now },
    { title: `${query}, first edition`, text: first(sentences(earlier)) },
  ];
  const known = documents.map(({ text }) => text).join('\n');
  const unknown = draws.until(
    () => String(draws.whole(1805, 1989)),
    (drawn) => !holdsNumber(known, drawn),
  );
  const story: Story = {
    input,
    documents,
    truth,
    earlier,
    say,
    gist: `${year}`,
    quotes: (read) => sentences(read).map((sentence) => [sentence]),
    calls: () => [search(query)],
    slips: {
      'wrong-claim-number': { said: { ...truth, year: unknown } },
      'wrong-row': { said: { ...truth, year: String(enlarged) } },
      'wrong-claim-words': {
        said: draws.happens(0.5) ? { ...truth, architect: owner } : { ...truth, day: otherDay },
      },
    },
    avoided: { text: owner, sentence: mention(owner) },
    planted: { values: { ...truth, architect: stranger }, wanted: stranger, claim: 0 },
  };
  return tell(story, setting);
}

interface Words {
  input: string;
  say(said: Values): { answer: string; claims: string[] };
  /** The two sentences of a guide that hold the facts. */
  sentences(facts: Values): [string, string];
  document(sentences: string[], around: Values): string;
  first(sentences: string[]): string;
  mention(owner: string): string;
}

const words: Record<TaskLanguage, (place: string, manner: (typeof manners)[number]) => Words> = {
  en: (place, manner) => ({
    input: `Who was the architect of the ${place} town house, when was it finished, and when is it closed?`,
    say: ({ architect, year, day }) => ({
      answer: `The ${place} town house is by ${architect}, was finished in ${year} and is closed on ${day}.`,
      claims: [
        manner === 1
          ? `The architect was ${architect}; the house was completed in ${year}.`
          : `${architect} built the house, which was finished in ${year}.`,
        manner === 2 ? `It is not open on ${day}.` : `It is closed on ${day}.`,
      ],
    }),
    sentences: ({ architect, year, day }) => [
      `The architect ${architect} completed the building in ${year}.`,
      `Visitors are welcome all week except on ${day}.`,
    ],
    document: ([built, open], { owner, enlarged, otherDay }) =>
      `This edition corrects the first one.\n${built} It was ordered by ${owner}, who had it enlarged in ${enlarged}.\n${open} On ${otherDay} there are guided tours.`,
    first: ([built, open]) => `${built}\n${open}`,
    mention: (owner) => `It was ordered by ${owner}.`,
  }),
  zh: (place, manner) => ({
    input: `${place}老宅的建筑师是谁，哪一年建成，什么时候不开放？`,
    say: ({ architect, year, day }) => ({
      answer: `${place}老宅由${architect}设计，${year} 年建成，${day}不开放。`,
      claims: [
        manner === 1 ? `建筑师是${architect}，${year} 年完工。` : `老宅由${architect}设计，${year} 年建成。`,
        manner === 2 ? `${day}闭馆。` : `${day}不开放。`,
      ],
    }),
    sentences: ({ architect, year, day }) => [
      `建筑师${architect}于 ${year} 年完成了这座建筑。`,
      `除${day}外每天开放。`,
    ],
    document: ([built, open], { owner, enlarged, otherDay }) =>
      `本版更正了初版的错误。\n${built}委托人是${owner}，他在 ${enlarged} 年把它扩建。\n${open}${otherDay}有讲解。`,
    first: ([built, open]) => `${built}\n${open}`,
    mention: (owner) => `委托人是${owner}。`,
  }),
};
