import { fencedCode } from '../../checks/fenced-blocks.ts';
import { canonicalJson, type Json } from '../../core/json.ts';
import { announcedPart, exactAnswer } from '../../solver/self-consistency/normalisers.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { misfit } from './expected.ts';
import { gradeOf, isBlank, shown, unanswered } from './grade-of.ts';

export interface SetOptions {
  /** The items have to stand in the expected order, each as often as expected. Default false. */
  order?: boolean;
}

/** A longer answer is no list that a person would read. */
const longest = 100_000;

/**
 * Passes when the answer lists the expected items and no others: a JSON list, bullets, lines, or a sentence with commas, semicolons or
 * `and`. An item counts whatever its case; numbers count by their value. The score is the share of common items among all. An expected
 * empty list is met by `[]` and by `none`.
 */
export function set({ order = false }: SetOptions = {}): Grader {
  return {
    name: 'set',
    knows: 'reference',
    reads: 'answer',
    config: { order },
    grade({ task, answer }) {
      const wanted = expectedItems(task);
      const expected = wanted.length === 0 ? 'an empty list' : shown(wanted.join(', '));
      if (isBlank(answer)) return unanswered(expected);
      if (answer.length > longest) return gradeOf(false, `the answer is no list, it is too long; expected ${expected}`);
      const given = itemsIn(answer, new Set(wanted));
      const { faults, score } = compared(given, wanted);
      if (faults.length > 0) return gradeOf(false, `${faults.join('; ')}; expected ${expected}`, score);
      if (order && given.join('\n') !== wanted.join('\n'))
        return gradeOf(false, `the items stand in another order than ${expected}`);
      return gradeOf(true, `the items are those expected, ${expected}`);
    },
  };
}

function compared(given: readonly string[], wanted: readonly string[]): { faults: string[]; score: number } {
  const [said, right] = [new Set(given), new Set(wanted)];
  const missing = [...right].filter((item) => !said.has(item));
  const extra = [...said].filter((item) => !right.has(item));
  const named = (what: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`${what} ${shown(items.join(', '))}`];
  const all = right.size + extra.length;
  return {
    faults: [...named('missing', missing), ...named('not expected', extra)],
    score: all === 0 ? 1 : (right.size - missing.length) / all,
  };
}

function expectedItems(task: EvalTask): string[] {
  const { expected } = task;
  if (!Array.isArray(expected)) throw misfit(task, 'set', 'a list of the items');
  const items = expected.map(itemKey);
  if (items.includes('')) throw misfit(task, 'set', 'a list of items of which none is empty');
  return items;
}

/** Equal items as equal texts. */
function itemKey(item: Json): string {
  const text = typeof item === 'string' ? item : canonicalJson(item);
  const number = Number(text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, ''));
  if (text.trim() !== '' && Number.isFinite(number)) return String(number + 0);
  return exactAnswer(text) ?? text.toLowerCase().replace(/\s+/g, ' ').trim();
}

const bullet = /^\s*(?:[-*•]|\(?\d{1,3}[.)])\s+/;
const none = /^(?:none|nothing|no items?|empty(?: list| set)?|the (?:list|set) is empty|无|没有|∅)$/;

function itemsIn(answer: string, wanted: ReadonlySet<string>): string[] {
  const listed = jsonList(answer);
  if (listed) return listed.map(itemKey);
  const part = announcedPart(answer).trim();
  const lines = part.split('\n');
  const bullets = lines.filter((line) => bullet.test(line));
  const texts = bullets.length > 0 ? bullets.map((line) => line.replace(bullet, '')) : sentenceItems(part);
  const items = texts.flatMap((text) => splitUnlessWanted(text, wanted)).filter((item) => item !== '');
  return items.length === 1 && none.test(items[0] ?? '') ? [] : items;
}

function jsonList(answer: string): Json[] | undefined {
  const [block, ...more] = fencedCode(answer);
  const text = block !== undefined && more.length === 0 ? block : answer;
  if (!text.trimStart().startsWith('[')) return undefined;
  try {
    // JSON.parse gives nothing but JSON values.
    const value = JSON.parse(text) as Json;
    const isFlat = Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
    return isFlat ? value : undefined;
  } catch {
    return undefined;
  }
}

function sentenceItems(text: string): string[] {
  return text.replace(/^[^\n:：]*(?::\s|：)/u, '').split(/[;；、，\n]|,(?!\d{3}(?!\d))/u);
}

/** `Simon and Garfunkel` is one item where it is expected, else two. */
function splitUnlessWanted(text: string, wanted: ReadonlySet<string>): string[] {
  const whole = itemKey(text.replace(/^\s*(?:and|&|和|及)\s+/i, ''));
  if (wanted.has(whole)) return [whole];
  return text.split(/\s&\s|\band\b|\s[和与及]\s/iu).map(itemKey);
}
