import type { Issue } from '../core/attempt.ts';
import type { Check } from './check.ts';
import { type FormatOptions, formatIssues } from './format.ts';
import type { AnswerLanguage } from './language.ts';

type Reading = (match: RegExpExecArray) => FormatOptions;

const languages: readonly [RegExp, AnswerLanguage][] = [
  [/english|英文|英语/i, 'en'],
  [/chinese|mandarin|中文|汉语/i, 'zh'],
  [/german|deutsch|德语|德文/i, 'de'],
  [/french|français|法语|法文/i, 'fr'],
  [/spanish|español|西班牙语/i, 'es'],
  [/italian|意大利语/i, 'it'],
  [/portuguese|葡萄牙语/i, 'pt'],
  [/japanese|日语|日文/i, 'ja'],
  [/korean|韩语|韩文/i, 'ko'],
  [/russian|俄语|俄文/i, 'ru'],
];
const names =
  'english|chinese|mandarin|german|deutsch|french|français|spanish|español|italian|portuguese|japanese|korean|russian';
const hanNames = '英文|英语|中文|汉语|德语|德文|法语|法文|西班牙语|意大利语|葡萄牙语|日语|日文|韩语|韩文|俄语|俄文';
const quoted = `["“'‘\`「『]([^"”'’\`」』]{1,120})["”'’\`」』]`;
const answerWords = '(?:the |your |an? )?(?:final )?(?:answer|reply|response|text|output|summary|result|it)';

const lengthStart = `(?:(?:please )?(?:answer|reply|respond|write|explain|summari[sz]e|use|keep|limit)(?: ${answerWords})?(?: to| in| it)? |in |${answerWords} (?:must |should |may |has to |is )?(?:not )?(?:be |have |contain |use )?(?:limited to )?)?`;
const length = (before: string, after = ''): RegExp =>
  new RegExp(
    `^${lengthStart}${before}(\\d+) (words|characters|sentences)(?: long| in length| in total)?${after}$`,
    'i',
  );
const inAnswer = '(?: (?:anywhere )?in (?:the|your) (?:final )?(?:answer|reply|response|text|output|summary))?';
const forbidden =
  "(?:(?:(?:must|should|may) (?:not|never)|do not|don't|never) (?:include|contain|mention|use|say)|avoid|avoid (?:mentioning|using|saying)|without)";

/** Whole constraints only: a condition with more in it (unless, in the title, per item) is not one that code has understood. */
const readings: readonly [RegExp, Reading][] = [
  [
    new RegExp(
      `^(?:please )?(?:(?:answer|reply|respond|write)(?: ${answerWords})?|${answerWords} (?:must be|should be|is)|must be|be)(?: written)? in (${names})(?: only| language)?$`,
      'i',
    ),
    ([, name = '']) => inLanguage(name),
  ],
  [
    new RegExp(`^(?:请|必须|须|请务必)?(?:使用|用|以)(${hanNames})(?:作答|回答|书写|撰写|输出|回复|写)?$`),
    ([, name = '']) => inLanguage(name),
  ],
  [
    length('(?:at most|no more than|not more than|max(?:imum)?(?: of)?|up to|within|(?:not )?exceed|limited to) '),
    ([, count = '', unit = '']) => most(Number(count), unit),
  ],
  [length('', ' (?:or less|or fewer|at most|maximum)'), ([, count = '', unit = '']) => most(Number(count), unit)],
  [length('(?:fewer than|less than|under|below) '), ([, count = '', unit = '']) => most(Number(count) - 1, unit)],
  [
    length('(?:at least|no fewer than|not less than|no less than|min(?:imum)?(?: of)?) '),
    ([, count = '', unit = '']) => (/^words/i.test(unit) ? { minWords: Number(count) } : {}),
  ],
  [
    new RegExp(
      `^(?:${answerWords} )?(?:must |should |has to |always )?(?:include|contain|mention|state|use|say)s? (?:the )?(?:exact |literal )?(?:words?|phrase|term|text|string|name|code|sentence|disclaimer|number)?:? ?${quoted}${inAnswer}$`,
      'i',
    ),
    ([, part = '']) => ({ mustInclude: [part] }),
  ],
  [
    new RegExp(
      `^(?:${answerWords} )?${forbidden}(?: the)?(?: exact)?(?: words?| phrase| term| name)?:? ?${quoted}${inAnswer}$`,
      'i',
    ),
    ([, part = '']) => ({ mustNotInclude: [part] }),
  ],
  [
    new RegExp(
      `^(?:答案|回答|回复)?(?:中)?(?:必须|须|应|要|请)?(?:包含|包括|提到|提及|写明|注明|出现)(?:词语|字样|短语|关键词)?[:：]?${quoted}(?:字样|一词|这个词)?$`,
      'u',
    ),
    ([, part = '']) => ({ mustInclude: [part] }),
  ],
  [
    new RegExp(
      `^(?:答案|回答|回复)?(?:中)?(?:不得|不要|不能|不可|禁止|请勿|避免)(?:包含|包括|提到|提及|出现|使用)(?:词语|字样|短语)?[:：]?${quoted}(?:字样|一词|这个词)?$`,
      'u',
    ),
    ([, part = '']) => ({ mustNotInclude: [part] }),
  ],
  [
    /^(?:答案|回答|回复|全文|字数)?(?:必须|应|请)?(?:不超过|不得超过|不多于|控制在|限)(\d+)个?字(?:以内|之内)?$/u,
    ([, count = '']) => ({ maxHanCharacters: Number(count) }),
  ],
  [/^(?:答案|回答|回复|全文)?(\d+)字(?:以内|之内)$/u, ([, count = '']) => ({ maxHanCharacters: Number(count) })],
];

/**
 * The constraints of the task that say in plain words what code can measure: the language, a length in words, characters
 * or sentences, and a text in quotation marks that has to stand in the answer or must not. In English and Chinese;
 * others are left to the verifier.
 */
export const constraints: Check = {
  name: 'constraints',
  run({ answer }, task) {
    if (answer === undefined) return [];
    return task.constraints.flatMap((constraint): Issue[] => {
      const options = readConstraint(constraint);
      return options === undefined
        ? []
        : formatIssues(answer, options).map((issue) => ({
            ...issue,
            detail: `${issue.detail} (condition: ${constraint})`,
          }));
    });
  },
};

/** What a constraint asks of the form of the answer; undefined for one that code has not wholly understood. */
export function readConstraint(constraint: string): FormatOptions | undefined {
  const text = constraint
    .trim()
    .replace(/[.。!！]$/u, '')
    .replace(/\s+/g, ' ')
    .replace(/(?<=\p{Script=Han}) (?=\d)|(?<=\d) (?=\p{Script=Han})/gu, '');
  for (const [pattern, read] of readings) {
    const match = pattern.exec(text);
    if (match) return read(match);
  }
  return undefined;
}

function inLanguage(name: string): FormatOptions {
  const language = languages.find(([pattern]) => pattern.test(name))?.[1];
  return language === undefined ? {} : { language };
}

function most(count: number, unit: string): FormatOptions {
  if (/^words/i.test(unit)) return { maxWords: count };
  return /^characters/i.test(unit) ? { maxCharacters: count } : { maxSentences: count };
}
