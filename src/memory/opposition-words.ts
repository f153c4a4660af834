/** Words that two lessons are compared with, English and Chinese. All are looked up as stems. */
import { termsOf } from './tokens.ts';

function stems(words: string): string[] {
  return termsOf(words);
}

/** Words that mean the same in an instruction: exchanging one for another changes nothing. */
const sameMeaning: readonly string[][] = [
  'add sum total',
  'compute calculate work',
  'look search find',
  'use call run invoke apply',
  'read open view consult',
  'check verify validate confirm compare',
  'each every all',
  'convert change translate turn',
  'write state give report answer',
  'quote cite copy take',
  'amount value figure number',
  'document file page',
  'row line',
].map(stems);

const canonical: ReadonlyMap<string, string> = new Map(
  sameMeaning.flatMap((group) => group.map((word): [string, string] => [word, group[0] ?? word])),
);

/** One word for all of its meaning. */
export function canonicalWord(word: string): string {
  return canonical.get(word) ?? word;
}

/** Words that an instruction can gain or lose and stay the same. */
export const fillers: ReadonlySet<string> = new Set([
  ...stems(
    'then next always please just simply also carefully up out one again afterwards finally only later them must should need',
  ),
  ...'先再要应须请并且然后就都也的了把将其',
]);

/** Verbs that say nothing of what is used: what a rejection is about comes after them. */
export const carriers: ReadonlySet<string> = new Set(
  stems('use using call run rely relying take try trying make do doing go follow choose prefer any more to it'),
);

/** Pairs of which a lesson can follow one only. */
export const antonyms: readonly (readonly [string[], string[]])[] = [
  ['before', 'after'],
  ['first', 'last'],
  ['newest', 'oldest'],
  ['ascending', 'descending'],
  ['include', 'exclude'],
  ['including', 'excluding'],
  ['up', 'down'],
  ['gross', 'net'],
  ['keep', 'drop'],
  ['keep', 'remove'],
  ['keep', 'delete'],
  ['enable', 'disable'],
  ['allow', 'forbid'],
  ['increase', 'decrease'],
  ['maximum', 'minimum'],
  ['largest', 'smallest'],
  ['more', 'fewer'],
  ['left', 'right'],
  ['inner', 'outer'],
  ['local', 'remote'],
  ['singular', 'plural'],
  ['multiply', 'divide'],
  ['add', 'subtract'],
].map(([one = '', other = '']) => [stems(one), stems(other)]);

export const chineseAntonyms: readonly (readonly [string, string])[] = [
  ['之前', '之后'],
  ['先', '后'],
  ['包含', '排除'],
  ['包括', '排除'],
  ['升序', '降序'],
  ['保留', '删除'],
  ['税前', '税后'],
  ['最大', '最小'],
  ['最新', '最旧'],
  ['向上', '向下'],
  ['启用', '禁用'],
  ['允许', '禁止'],
  ['第一', '最后'],
  ['乘', '除'],
];

const gone =
  'removed|replaced|deprecated|retired|renamed|deleted|dropped|gone|wrong|obsolete|outdated|no longer|out of date|discontinued';

/** What a clause rejects: the first group is the thing. */
export const rejections: readonly RegExp[] = [
  /\b(?:instead of|rather than|no longer|not|never|don't|cannot|avoid|stop|without|in place of)\b ?(.{2,80})/,
  new RegExp(`^(.{2,60}?) (?:was|were|is|are|has been|have been|got) (?:now )?(?:${gone})\\b`),
  /\b(?:replace|replaces|replaced|drop|retire|remove) (.{2,60}?)(?: (?:with|by|for)\b|$)/,
  /(?:而不是|而非|不再|不要|不可|不得|不能|别|勿|不用|停止|禁止|避免|代替|取代)(?:使用|采用|调用|用)?(.{1,30})/,
  /^(.{1,20}?)(?:已经?|被)(?:删除|移除|废弃|停用|弃用|过时|更名|改名|取消)/,
];

/** What says that something took the place of something else. */
export const supersession: RegExp =
  /\b(?:now|no longer|any ?more|nowadays|since then|moved to|renamed to|replaced (?:by|with)|switched to|has become)\b|现在|如今|改为|改成|换成|变为|不再|已迁移|改名为/;
