import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import type { Check } from './check.ts';
import { type AnswerLanguage, languageOf } from './language.ts';

export interface FormatOptions {
  /** Judged only where the answer shows it for certain, see `languageOf`. */
  language?: AnswerLanguage;
  /** Between blanks; of Chinese and the like, the words that Unicode finds. Code blocks count. */
  maxWords?: number;
  /** As `maxWords`, but the parts of well-known or and/or count as words too. */
  minWords?: number;
  /** Without white space at both ends; an emoji or an accented letter is one. */
  maxCharacters?: number;
  minCharacters?: number;
  /** As 字数 counts: each ideograph, and each word or number of another script. */
  maxHanCharacters?: number;
  /** Sentences, ended by . ! ? 。！？ or a line break. */
  maxSentences?: number;
  /** Each has to stand in the answer: a text in any case and spacing, or an expression. */
  mustInclude?: readonly (string | RegExp)[];
  mustNotInclude?: readonly (string | RegExp)[];
}

/** Conditions on the form of the answer. Throws `UsageError` for a length that is none and for options that ask for nothing. */
export function format(options: FormatOptions): Check {
  const { language, mustInclude, mustNotInclude, ...lengths } = options;
  for (const [name, limit] of Object.entries(lengths))
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0))
      throw new UsageError(`format: ${name} is ${limit}; write a whole number that is not negative`);
  if (Object.keys(options).length === 0) throw new UsageError('format: name at least one condition, such as maxWords');
  return {
    name: 'format',
    run: ({ answer }) => {
      if (answer === undefined) return [missed('there is no answer', 'give a final answer')];
      return formatIssues(answer, options);
    },
  };
}

/** What of the conditions an answer does not meet. */
export function formatIssues(answer: string, options: FormatOptions): Issue[] {
  return [...languageIssues(answer, options), ...lengthIssues(answer, options), ...partIssues(answer, options)];
}

function missed(detail: string, requiredAction: string): Issue {
  return { type: 'missed_constraint', detail, requiredAction };
}

function languageIssues(answer: string, { language }: FormatOptions): Issue[] {
  const found = language && languageOf(answer);
  if (!found || found === language) return [];
  const name = (code: string): string => new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;
  return [missed(`the answer is in ${name(found)}, not in ${name(language)}`, `answer in ${name(language)}`)];
}

function lengthIssues(answer: string, options: FormatOptions): Issue[] {
  const text = answer.trim();
  const { maxWords, minWords, maxCharacters, minCharacters, maxSentences, maxHanCharacters } = options;
  const counts: { unit: string; count: () => number; least?: number | undefined; most?: number | undefined }[] = [
    { unit: 'words', count: () => wordsIn(text), most: maxWords },
    { unit: 'words', count: () => segments(text, 'word'), least: minWords },
    { unit: 'characters', count: () => segments(text, 'grapheme'), least: minCharacters, most: maxCharacters },
    { unit: '字', count: () => text.match(hanCharacter)?.length ?? 0, most: maxHanCharacters },
    { unit: 'sentences', count: () => sentences(text), most: maxSentences },
  ];
  return counts.flatMap(({ unit, count, least = 0, most = Number.POSITIVE_INFINITY }) => {
    if (least === 0 && most === Number.POSITIVE_INFINITY) return [];
    const length = count();
    if (length > most)
      return [missed(`the answer has ${length} ${unit}, at most ${most} are allowed`, `shorten it to ${most} ${unit}`)];
    if (length < least)
      return [
        missed(`the answer has ${length} ${unit}, at least ${least} are required`, `extend it to ${least} ${unit}`),
      ];
    return [];
  });
}

function wordsIn(text: string): number {
  const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
  return words.reduce((sum, word) => sum + (unspaced.test(word) ? segments(word, 'word') : 1), 0);
}

const hanCharacter = /\p{Script=Han}|[\p{L}\p{N}][^\s\p{P}\p{Script=Han}]*/gu;

function segments(text: string, granularity: 'word' | 'grapheme'): number {
  const all = [...new Intl.Segmenter('zh', { granularity }).segment(text)];
  return granularity === 'word' ? all.filter(({ isWordLike }) => isWordLike).length : all.length;
}

function sentences(text: string): number {
  const parts = text.split(/(?<=[.!?])["'”’)\]]*\s+(?=[\p{Lu}\p{Script=Han}\d"“'(])|[。！？]+["”』」]*|\n+/u);
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}

function partIssues(answer: string, { mustInclude = [], mustNotInclude = [] }: FormatOptions): Issue[] {
  const absent = mustInclude.filter((part) => !includes(answer, part));
  const present = mustNotInclude.filter((part) => includes(answer, part));
  return [
    ...absent.map((part) => missed(`the answer does not include ${shown(part)}`, `include ${shown(part)}`)),
    ...present.map((part) => missed(`the answer includes ${shown(part)}, which it must not`, `remove ${shown(part)}`)),
  ];
}

function shown(part: string | RegExp): string {
  return typeof part === 'string' ? `"${part}"` : String(part);
}

/** A text counts where it stands as words of its own: `art` is not in `start`. */
function includes(answer: string, part: string | RegExp): boolean {
  // A global or sticky expression remembers where it stopped.
  if (typeof part !== 'string') return new RegExp(part.source, part.flags.replace(/[gy]/g, '')).test(answer);
  const [text, sought] = [answer, part].map((whole) =>
    whole
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[’‘]/g, "'")
      .replace(/[*_`]+/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  if (text === undefined || sought === undefined) return false;
  for (let place = text.indexOf(sought); place >= 0; place = text.indexOf(sought, place + 1)) {
    const around = [
      text.charAt(place - 1) + sought.charAt(0),
      sought.charAt(sought.length - 1) + text.charAt(place + sought.length),
    ];
    if (!around.some((pair) => /^(?:[\p{Script=Latin}\p{Script=Cyrillic}]{2}|\d\d)$/u.test(pair))) return true;
  }
  return false;
}
