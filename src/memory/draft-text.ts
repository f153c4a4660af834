/** The texts of a draft as the rules of admission read them. */
import type { LessonDraft } from '../core/attempt.ts';
import { negation } from './admission-patterns.ts';
import { containment, overlap, termsOf } from './tokens.ts';

export const draftFields = ['trigger', 'failurePattern', 'lesson', 'avoid'] as const;

/** Shares of common terms from which two texts say the same. */
const sameText = 0.85;
const sameLesson = 0.7;
/** Fewer terms than this say too little for a comparison. */
const comparable = 2;

/** NFKC, lower case, joiners removed, white space and underscores single spaces. */
export function normalText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\u200c|\u200d|\ufe0f/g, '')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Every field of the draft as `normalText`. */
export function normalDraft(draft: LessonDraft): LessonDraft {
  return {
    trigger: normalText(draft.trigger),
    failurePattern: normalText(draft.failurePattern),
    lesson: normalText(draft.lesson),
    avoid: normalText(draft.avoid),
  };
}

const everyNegation = new RegExp(negation, 'g');

/** Whether the text tells not to do something. */
export function negates(text: string): boolean {
  return negation.test(text);
}

/** The searchable terms of a text without its negations. */
export function contentTerms(text: string): Set<string> {
  return new Set(termsOf(text.replaceAll(everyNegation, ' ')));
}

/** Whether two sets of terms come from texts on the same thing, or one from a part of the other. */
export function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const smaller = Math.min(a.size, b.size);
  if (smaller < comparable) return false;
  return overlap(a, b) >= sameLesson || (smaller > comparable && containment(a, b) >= sameText);
}

/** Whether two normalised drafts give the same lesson in like words. */
export function resembles(a: LessonDraft, b: LessonDraft): boolean {
  if (negates(a.lesson) !== negates(b.lesson)) return false;
  const whole = overlap(
    contentTerms(`${a.failurePattern} ${a.lesson}`),
    contentTerms(`${b.failurePattern} ${b.lesson}`),
  );
  return whole >= sameLesson || overlap(contentTerms(a.lesson), contentTerms(b.lesson)) >= sameText;
}

/** Whether the lesson tells to do what `avoid` warns of. A negated lesson agrees with it. */
export function recommends(lesson: string, avoid: string): boolean {
  return !negates(lesson) && alike(contentTerms(lesson), contentTerms(avoid));
}
