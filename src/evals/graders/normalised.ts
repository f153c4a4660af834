import { UsageError } from '../../core/errors.ts';
import type { Grader } from '../grader.ts';
import { expectedTexts } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';

export interface NormalisedOptions {
  metric: 'em' | 'f1';
  /** Least F1 that passes, 0 to 1. Default 1: the same words in any order. Exact match has none. */
  threshold?: number;
}

/** The blanks of Python's `str.split`. */
const blanks = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const punctuation = /[!-/:-@[-`{-~]/g;
const articles = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;
/** Half of one of these is not half right. */
const indivisible = new Set(['yes', 'no', 'noanswer']);

/**
 * Exact match or F1 over words, as the official script of HotpotQA counts them (Yang et al. 2018, section 5.1; the normalisation is
 * SQuAD's, Rajpurkar et al. 2016, section 6.1): lower case, no ASCII punctuation, no articles, blanks as one. Yes, no and noanswer have
 * an F1 of 0 with anything else. Of several expected texts the best counts.
 */
export function normalised({ metric, threshold }: NormalisedOptions): Grader {
  if (threshold !== undefined && !(metric === 'f1' && threshold > 0 && threshold <= 1))
    throw new UsageError(`normalised: the threshold ${threshold} is not over 0 and at most 1, or the metric is not f1`);
  const least = threshold ?? 1;
  return {
    name: `normalised:${metric}`,
    knows: 'reference',
    reads: 'answer',
    config: { metric, threshold: least },
    grade({ task, answer }) {
      const references = expectedTexts(task, 'normalised');
      const expected = references.map(shown).join(' or ');
      if (isBlank(answer)) return unanswered(expected);
      const score = Math.max(
        ...references.map((reference) => (metric === 'em' ? exactMatch(answer, reference) : wordF1(answer, reference))),
      );
      const figure = metric === 'em' ? '' : ` (F1 ${score.toFixed(2)})`;
      return gradeOf(score >= least, `${shown(answer)}, expected ${expected}${figure}`, score);
    },
  };
}

/** 1 or 0. */
function exactMatch(answer: string, reference: string): number {
  return wordsOf(answer).join(' ') === wordsOf(reference).join(' ') ? 1 : 0;
}

/** The harmonic mean of precision and recall over words, 0 to 1. */
export function wordF1(answer: string, reference: string): number {
  const [given, wanted] = [wordsOf(answer), wordsOf(reference)];
  if (given.join(' ') !== wanted.join(' ') && [given, wanted].some((words) => indivisible.has(words.join(' '))))
    return 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let same = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    same++;
  }
  if (same === 0) return 0;
  const [precision, recall] = [same / given.length, same / wanted.length];
  return (2 * precision * recall) / (precision + recall);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(punctuation, '')
    .replace(articles, ' ')
    .split(blanks)
    .filter((word) => word !== '');
}
