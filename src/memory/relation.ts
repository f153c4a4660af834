/**
 * How two lessons stand to each other, told by their words, for English and Chinese.
 *
 * A contradiction taken for a likeness would be merged and lost; a likeness taken for a contradiction costs a place in the store, since
 * only the better of the two is recalled. So in doubt two lessons that do not agree word for word are rivals.
 * What is not found: contradictions that share no words and are in unlike situations.
 */
import type { LessonDraft } from '../core/attempt.ts';
import { differences, type Hunk } from './differences.ts';
import { alike, contentTerms, negates, normalDraft, recommends, resembles } from './draft-text.ts';
import {
  antonyms,
  canonicalWord,
  carriers,
  chineseAntonyms,
  fillers,
  rejections,
  supersession,
} from './opposition-words.ts';
import { containment, overlap, termsOf, unspacedLetters } from './tokens.ts';

export type Relation = 'same' | 'opposed' | 'unlike';

/** `opposed`: only one of them can be followed where both apply. Symmetric, but for what says that it replaces the other. */
export function relationOf(draft: LessonDraft, known: LessonDraft): Relation {
  const [a, b] = [normalDraft(draft), normalDraft(known)];
  if (a.lesson === b.lesson) return 'same';
  if (forbidsTheOther(a, b) || forbidsTheOther(b, a) || negatesTheOther(a, b)) return 'opposed';
  const exchanged = exchangeOf(a.lesson, b.lesson);
  if (exchanged && related(a, b)) return areOfTheirFailures(exchanged, a, b) ? 'unlike' : 'opposed';
  if (related(a, b) && takesTheOpposite(a.lesson, b.lesson)) return 'opposed';
  if (!exchanged && (resembles(a, b) || saysTheSame(a.lesson, b.lesson))) return 'same';
  return supersedes(a, b) || sameSituation(a, b) ? 'opposed' : 'unlike';
}

/** Whether what one warns of, or calls gone, is what the other tells to do. */
function forbidsTheOther(a: LessonDraft, b: LessonDraft): boolean {
  if (recommends(b.lesson, a.avoid)) return true;
  if (!related(a, b)) return false;
  const affirmed = affirmedTerms(b.lesson);
  return [...rejectedIn(a.lesson), a.avoid].some((phrase) => {
    const terms = [...contentTerms(phrase)].filter((term) => !carriers.has(term));
    return terms.length > 0 && terms.every((term) => affirmed.has(term));
  });
}

function negatesTheOther(a: LessonDraft, b: LessonDraft): boolean {
  return negates(a.lesson) !== negates(b.lesson) && alike(contentTerms(a.lesson), contentTerms(b.lesson));
}

/** Likeness of situations from which opposite words are about the same thing. */
const likeTrigger = 0.25;
const likeFailure = 0.4;
const mostlyContained = 0.6;

function related(a: LessonDraft, b: LessonDraft): boolean {
  const [triggerA, triggerB] = [contentTerms(a.trigger), contentTerms(b.trigger)];
  if (overlap(triggerA, triggerB) >= likeTrigger) return true;
  if (Math.min(triggerA.size, triggerB.size) > 1 && containment(triggerA, triggerB) >= mostlyContained) return true;
  return overlap(contentTerms(a.failurePattern), contentTerms(b.failurePattern)) >= likeFailure;
}

function sameSituation(a: LessonDraft, b: LessonDraft): boolean {
  return a.trigger === b.trigger && a.failurePattern === b.failurePattern;
}

function clausesOf(text: string): string[] {
  return text
    .split(/[;,:，。；：!?！？()（）]|\.(?=\s|$)/)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

/** What the text tells to leave alone. */
function rejectedIn(text: string): string[] {
  return clausesOf(text).flatMap((clause) => rejections.flatMap((pattern) => pattern.exec(clause)?.[1] ?? []));
}

/** The terms of what the text tells to do. */
function affirmedTerms(text: string): Set<string> {
  const affirmed = clausesOf(text).map((clause) =>
    rejections.reduce((rest, pattern) => {
      const rejected = pattern.exec(rest)?.[1];
      return rejected === undefined ? rest : rest.replace(rejected, ' ');
    }, clause),
  );
  return contentTerms(affirmed.join(' '));
}

/** Of what is left without the opposite words, so much has to be common. */
const sameBesides = 0.4;

function takesTheOpposite(a: string, b: string): boolean {
  if (negates(a) !== negates(b)) return false;
  const [termsA, termsB] = [new Set(termsOf(a)), new Set(termsOf(b))];
  const pair = antonyms.find(
    ([one, other]) => splits(one, other, termsA, termsB) || splits(other, one, termsA, termsB),
  );
  const opposite =
    pair !== undefined ||
    chineseAntonyms.some(([one, other]) => splitsText(one, other, a, b) || splitsText(other, one, a, b));
  for (const word of pair?.flat() ?? []) for (const terms of [termsA, termsB]) terms.delete(word);
  return opposite && (overlap(termsA, termsB) >= sameBesides || containment(termsA, termsB) >= mostlyContained);
}

function splits(one: string[], other: string[], a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const has = (words: string[], terms: ReadonlySet<string>) =>
    words.length > 0 && words.every((word) => terms.has(word));
  return has(one, a) && !has(other, a) && has(other, b) && !has(one, b);
}

function splitsText(one: string, other: string, a: string, b: string): boolean {
  return a.includes(one) && !a.includes(other) && b.includes(other) && !b.includes(one);
}

/** Longer texts are compared by their beginnings. */
const longestCompared = 120;
const longestExchange = 3;
const muchCommon = 0.4;

/** What stands in the place of what, when the texts are one sentence with another thing in one or two places: miles for kilometres. */
function exchangeOf(a: string, b: string): Hunk[] | undefined {
  if (negates(a) !== negates(b)) return undefined;
  const [unitsA, unitsB] = [unitsOf(a), unitsOf(b)];
  if (overlap(new Set(unitsA), new Set(unitsB)) < muchCommon) return undefined;
  const hunks = differences(unitsA, unitsB);
  const exchanged = hunks.every(({ left, right }) => {
    const shorter = Math.min(left.length, right.length);
    return shorter > 0 && Math.max(left.length, right.length) <= longestExchange;
  });
  return exchanged && (hunks.length === 1 || hunks.length === 2) ? hunks : undefined;
}

/** Two like sentences on two failures, each with its own thing, can both be followed: read the shipping rules, read the discount rules. */
function areOfTheirFailures(hunks: readonly Hunk[], a: LessonDraft, b: LessonDraft): boolean {
  const [failureA, failureB] = [new Set(unitsOf(a.failurePattern)), new Set(unitsOf(b.failurePattern))];
  const isOf = (words: readonly string[], own: ReadonlySet<string>, other: ReadonlySet<string>) =>
    words.some((word) => own.has(word)) && !words.some((word) => other.has(word));
  return hunks.some(({ left, right }) => isOf(left, failureA, failureB) && isOf(right, failureB, failureA));
}

/** Whether nothing but fillers and words of one meaning tells the texts apart. */
function saysTheSame(a: string, b: string): boolean {
  if (negates(a) !== negates(b)) return false;
  const [unitsA, unitsB] = [unitsOf(a), unitsOf(b)];
  return unitsA.length > 1 && differences(unitsA, unitsB).length === 0;
}

/** Words in one form each, and single letters where a script has no spaces; without what changes nothing. */
function unitsOf(text: string): string[] {
  return termsOf(text.replaceAll(unspacedLetters, ' $& '))
    .map(canonicalWord)
    .filter((word) => !fillers.has(word))
    .slice(0, longestCompared);
}

const nearlySameTrigger = 0.5;

/** Whether a says that something changed, in a situation that b has another word for. */
function supersedes(a: LessonDraft, b: LessonDraft): boolean {
  if (!supersession.test(a.lesson)) return false;
  return (
    overlap(contentTerms(a.trigger), contentTerms(b.trigger)) >= nearlySameTrigger &&
    overlap(contentTerms(a.lesson), contentTerms(b.lesson)) > 0
  );
}
