/** Languages that `languageOf` tells apart. */
export type AnswerLanguage = 'en' | 'zh' | 'ja' | 'ko' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'ru' | 'ar';

type LatinLanguage = Extract<AnswerLanguage, 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt'>;

/** Frequent words; one that two of the languages share counts for both. */
const frequent: readonly (readonly [LatinLanguage, ReadonlySet<string>])[] = (
  [
    [
      'en',
      'the of and to in is that for it was on are with as be this from have by not or an which but their has they you at were will would can there',
    ],
    [
      'de',
      'der die das und ist nicht ein eine zu den von mit sich auf für im dem des es auch als wird sind werden oder bei nach wie einer aus haben ich wurde über kann',
    ],
    [
      'fr',
      'le la les de des et est une un du en que qui dans pour pas sur au avec ce il sont par plus ne se cette ou mais aux ont été être nous vous leur',
    ],
    [
      'es',
      'el la los las de que y en un una es por con para del se no su al lo como más pero sus le está son fue este han entre hay cuando muy también',
    ],
    [
      'it',
      'il lo la i gli le di che e è un una per con del della in non sono si da come più dei nel alla ma anche questo ha delle',
    ],
    [
      'pt',
      'o a os as de que e em um uma é para com do da não por se no na mais como dos das foi ao são mas ele está também',
    ],
  ] as const
).map(([language, words]) => [language, new Set(words.split(' '))]);

const leastWords = 6;
const leastHits = 3;
/** By this much the first language has to be ahead of the second. */
const margin = 1.5;

/**
 * The language of a text by its script, and for Latin letters by its most frequent words. Undefined where it is not
 * sure: short texts, mixed ones, names and numbers. Code, URLs and what stands in quotation marks do not count.
 */
export function languageOf(text: string): AnswerLanguage | undefined {
  const prose = text
    .replace(/(```|~~~)[\s\S]*?(?:\1|$)|`[^`\n]*`|https?:\/\/\S+/g, ' ')
    .replace(/"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」/gu, ' ');
  const count = (script: RegExp): number => prose.match(script)?.length ?? 0;
  const latin = count(/\p{Script=Latin}+/gu);
  const scripts: [AnswerLanguage, number][] = [
    ['ja', count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)],
    ['ko', count(/\p{Script=Hangul}/gu)],
    ['ru', count(/\p{Script=Cyrillic}/gu) / 5],
    ['ar', count(/\p{Script=Arabic}/gu) / 5],
    ['zh', count(/\p{Script=Han}/gu)],
  ];
  const [kana, , , , han] = scripts.map(([, characters]) => characters);
  if ((kana ?? 0) >= leastWords && (kana ?? 0) > (han ?? 0) / 5) return 'ja';
  const [first] = scripts.filter(([name]) => name !== 'ja').sort(([, one], [, other]) => other - one);
  // A Chinese sentence takes about two characters for a word.
  if (first && first[1] >= leastWords && first[1] > 2 * latin)
    return first[0] === 'zh' && (kana ?? 0) > 0 ? undefined : first[0];
  return scripts.some(([, characters]) => characters > latin / 4) ? undefined : latinLanguage(prose);
}

function latinLanguage(prose: string): AnswerLanguage | undefined {
  const read = prose.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  if (read.length < leastWords) return undefined;
  const hits = frequent.map(([language, words]) => ({
    language,
    count: read.filter((word) => words.has(word)).length,
  }));
  const [first, second] = hits.sort((one, other) => other.count - one.count);
  if (!first || first.count < leastHits || first.count < read.length / 8) return undefined;
  return first.count >= margin * (second?.count ?? 0) ? first.language : undefined;
}
