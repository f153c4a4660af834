import { UsageError } from '../../core/errors.ts';
import { announcedPart } from '../../solver/self-consistency/normalisers.ts';
import type { Grader } from '../grader.ts';
import { misfit } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';

/** Labels, or labels with the other words that mean them. */
export type Labels = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** What is known to mean the usual labels, in lower case. A word that is a label itself, or means two of them, means nothing else. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  yes: ['true', 'correct', '是', '是的', '对', '正确'],
  no: ['false', 'incorrect', 'not true', 'not correct', 'untrue', '否', '不是', '不对', '错误', '不正确'],
  true: ['yes', 'correct', '是', '对', '正确'],
  false: ['no', 'incorrect', 'not true', 'not correct', 'untrue', '否', '不是', '不对', '错误', '不正确'],
  supports: ['support', 'supported', 'true'],
  refutes: ['refute', 'refuted', 'false'],
  'not enough info': ['not enough information', 'insufficient information', 'nei'],
};

/** Of an answer, from its end, in characters. */
const reach = 20_000;

interface Mention {
  label: string;
  from: number;
  to: number;
}

/**
 * Passes when the answer gives the expected label, such as SUPPORTS, REFUTES or NOT ENOUGH INFO: the one it announces or begins with,
 * else the only one it names. Case does not count; true and yes mean the same where they are no labels of their own. A label that is
 * denied is not given, and of two that are offered (yes and no) none is. Throws `UsageError` for fewer than two labels.
 */
export function label(labels: Labels): Grader {
  const words = wordsFor(labels);
  const names = [...new Set(words.values())];
  if (names.length < 2) throw new UsageError('label: give at least two labels that differ');
  const pattern = patternOf([...words.keys()]);
  return {
    name: 'label',
    knows: 'reference',
    reads: 'answer',
    config: { words: Object.fromEntries(words) },
    grade({ task, answer }) {
      const given = typeof task.expected === 'boolean' ? String(task.expected) : task.expected;
      const wanted = typeof given === 'string' ? words.get(plain(given)) : undefined;
      if (wanted === undefined) throw misfit(task, 'label', `one of the labels ${names.join(', ')}`);
      if (isBlank(answer)) return unanswered(wanted);
      const read = labelIn(answer.slice(-reach), words, pattern);
      return gradeOf(
        read === wanted,
        `${read ? `read ${read}` : `no one label in ${shown(answer)}`}, expected ${wanted}`,
      );
    },
  };
}

/** Every word for a label, in lower case, with the label it means. */
function wordsFor(labels: Labels): Map<string, string> {
  const given: Readonly<Record<string, readonly string[]>> = isList(labels)
    ? Object.fromEntries(labels.map((name) => [name, []]))
    : labels;
  const own = Object.entries(given).flatMap(([name, others]) =>
    [name, ...others].map((word): [string, string] => [plain(word), name]),
  );
  const words = new Map(own);
  if (words.size < own.length || words.has(''))
    throw new UsageError('label: a label is empty, or a word means two labels');
  const known = Object.keys(given).flatMap((name) =>
    (meanings[plain(name)] ?? []).map((word): [string, string] => [word, name]),
  );
  for (const [word, name] of known) {
    const isPlain = !words.has(word) && known.every(([other, meant]) => other !== word || meant === name);
    if (isPlain) words.set(word, name);
  }
  return words;
}

function isList(labels: Labels): labels is readonly string[] {
  return Array.isArray(labels);
}

function plain(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** The longest words first, so that `not true` is not read as `true`. */
function patternOf(words: readonly string[]): RegExp {
  const escaped = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replaceAll(' ', '[\\s_-]+'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join('|')})(?![\\p{L}\\p{N}])`, 'giu');
}

const denied = /(?:\b(?:not|never|neither|cannot|hardly)|n['’]t)\s+(?:be\s+|really\s+|necessarily\s+|the\s+)?["'“*]?$/i;
const offered = /^["'”*]?\s*(?:or|and|\/|,|或|和)\s*["'“*]?$/i;

function labelIn(answer: string, words: ReadonlyMap<string, string>, pattern: RegExp): string | undefined {
  const text = answer.normalize('NFKC');
  const announced = announcedPart(text);
  for (const part of announced === text ? [text] : [announced, text]) {
    const [first, second] = mentions(part, words, pattern);
    if (!first || /[\p{L}\p{N}]/u.test(part.slice(0, first.from))) continue;
    const isHedged = second && second.label !== first.label && offered.test(part.slice(first.to, second.from));
    return isHedged ? undefined : first.label;
  }
  const named = new Set(mentions(text, words, pattern).map((mention) => mention.label));
  const [only] = named;
  return named.size === 1 ? only : undefined;
}

function mentions(text: string, words: ReadonlyMap<string, string>, pattern: RegExp): Mention[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: word, index }) => {
    const meant = words.get(plain(word));
    const isDenied = denied.test(text.slice(Math.max(0, index - 24), index));
    return meant === undefined || isDenied ? [] : [{ label: meant, from: index, to: index + word.length }];
  });
}
