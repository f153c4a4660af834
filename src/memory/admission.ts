import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';
import { redactor } from '../trace/redact.ts';
import {
  ban,
  genericFailure,
  hidden,
  mixedScript,
  narrative,
  negation,
  obligation,
  outage,
  overreach,
  overreachToAvoid,
  type Pattern,
  passingFacts,
  relativeTime,
  vagueAdvice,
} from './admission-patterns.ts';
import { isSuppressed } from './ranking.ts';
import { containment, overlap, termsOf } from './tokens.ts';

/** One rule: why it refuses the draft, or nothing. */
type Rule = (draft: Subject, active: readonly Lesson[]) => string | undefined;

/** A draft with its texts as the patterns read them. */
interface Subject {
  raw: LessonDraft;
  normal: LessonDraft;
}

const fields = ['trigger', 'failurePattern', 'lesson', 'avoid'] as const;
const bounds: Record<(typeof fields)[number], { least: number; most: number }> = {
  trigger: { least: 2, most: 400 },
  failurePattern: { least: 2, most: 500 },
  lesson: { least: 4, most: 800 },
  avoid: { least: 0, most: 500 },
};

/** Least substance of a failure name and of an action, in words; a Chinese character is half a word. */
const leastFailure = 1.5;
const leastAction = 2;

const sameText = 0.85;
const sameLesson = 0.7;
/** Fewer terms than this say too little for a comparison. */
const comparable = 2;

const secrets = redactor({ env: {} });

/** The rules in the order in which they are asked: what could do harm first, what is of no use next, what is known last. */
const rules: readonly Rule[] = [
  hasFittingLengths,
  hidesNothing,
  holdsNoSecret,
  keepsWithinItsAuthority,
  outlivesItsRun,
  blamesNoOutage,
  namesTheFailure,
  givesAnAction,
  agreesWithItself,
  isNew,
  conflictsWithNone,
];

/**
 * Whether a draft may become a lesson (invariant 11). Deterministic, for English and Chinese; a model wrote the draft from
 * untrusted material, so it is judged as such. `active` are the lessons of its scope. `why` is `new` or the rule that refused.
 */
export function judgeDraft(draft: LessonDraft, active: readonly Lesson[]): { admitted: boolean; why: string } {
  const subject: Subject = { raw: draft, normal: normalDraft(draft) };
  for (const rule of rules) {
    const why = rule(subject, active);
    if (why !== undefined) return { admitted: false, why };
  }
  return { admitted: true, why: 'new' };
}

function hasFittingLengths({ raw }: Subject): string | undefined {
  for (const field of fields) {
    const { least, most } = bounds[field];
    const length = [...raw[field].trim()].length;
    if (length < least) return `${field} is empty or too short to say anything`;
    if (length > most) return `${field} is ${length} characters long, ${most} is the most: say it shorter`;
  }
  return undefined;
}

function hidesNothing({ raw }: Subject): string | undefined {
  for (const field of fields) {
    if (hidden.test(raw[field])) return `${field} holds invisible or control characters`;
    if (mixedScript.test(raw[field])) return `${field} mixes Latin and Cyrillic letters in one word`;
  }
  return undefined;
}

function holdsNoSecret({ raw }: Subject): string | undefined {
  const field = fields.find((name) => raw[name].includes('[redacted:') || secrets.text(raw[name]) !== raw[name]);
  return field && `${field} holds a secret`;
}

function keepsWithinItsAuthority({ normal }: Subject): string | undefined {
  for (const field of fields) {
    const why = firstHit(normal[field], overreach) ?? (field === 'avoid' && firstHit(normal.avoid, overreachToAvoid));
    if (why) return `${field} ${why}`;
  }
  return undefined;
}

function outlivesItsRun({ normal }: Subject): string | undefined {
  for (const field of fields) {
    const why = firstHit(normal[field], passingFacts);
    if (why) return `${field} ${why}`;
  }
  for (const field of ['failurePattern', 'lesson', 'avoid'] as const) {
    if (relativeTime.pattern.test(withoutQuotes(normal[field]))) return `${field} ${relativeTime.why}`;
  }
  return mostlyNumbers(normal.lesson) ? 'lesson states numbers of one task instead of a way to find them' : undefined;
}

function blamesNoOutage({ normal }: Subject): string | undefined {
  const blames = outage.test(`${normal.failurePattern} ${normal.lesson}`) && ban.test(normal.lesson);
  return blames ? 'lesson bans a tool because it was out of order once' : undefined;
}

function namesTheFailure({ normal }: Subject): string | undefined {
  if (substance(normal.failurePattern, genericFailure) < leastFailure)
    return 'failurePattern names no failure, it only says that something went wrong';
  if (normal.failurePattern === normal.trigger) return 'failurePattern repeats the trigger';
  return normal.failurePattern === normal.lesson ? 'failurePattern repeats the lesson' : undefined;
}

function givesAnAction({ normal }: Subject): string | undefined {
  if (substance(normal.lesson, vagueAdvice) < leastAction)
    return 'lesson is a good intention, not an action that a program or a model could carry out';
  const tells = narrative.test(normal.lesson) && !obligation.test(normal.lesson);
  return tells ? 'lesson tells what happened instead of what to do' : undefined;
}

function agreesWithItself({ normal }: Subject): string | undefined {
  return recommends(normal.lesson, normal.avoid) ? 'lesson says what its own avoid forbids' : undefined;
}

function isNew({ normal }: Subject, active: readonly Lesson[]): string | undefined {
  for (const known of active) {
    const other = normalDraft(known);
    const sameSituation = normal.trigger === other.trigger && normal.failurePattern === other.failurePattern;
    if (normal.lesson === other.lesson || (sameSituation && !isSuppressed(known)) || resembles(normal, other))
      return `duplicate of ${known.id}`;
  }
  return undefined;
}

/** A lesson that keeps losing is contradicted by its own record: it does not keep a better one out. */
function conflictsWithNone({ normal }: Subject, active: readonly Lesson[]): string | undefined {
  for (const known of active) {
    const other = normalDraft(known);
    const opposed =
      recommends(normal.lesson, other.avoid) ||
      recommends(other.lesson, normal.avoid) ||
      (negates(normal.lesson) !== negates(other.lesson) && alike(terms(normal.lesson), terms(other.lesson)));
    if (opposed && !isSuppressed(known)) return `conflicts with ${known.id}: forget or expire that one to replace it`;
  }
  return undefined;
}

function resembles(a: LessonDraft, b: LessonDraft): boolean {
  if (negates(a.lesson) !== negates(b.lesson)) return false;
  const whole = overlap(terms(`${a.failurePattern} ${a.lesson}`), terms(`${b.failurePattern} ${b.lesson}`));
  return whole >= sameLesson || overlap(terms(a.lesson), terms(b.lesson)) >= sameText;
}

/** Whether the lesson tells to do what `avoid` warns of. A negated lesson agrees with it. */
function recommends(lesson: string, avoid: string): boolean {
  return !negates(lesson) && alike(terms(lesson), terms(avoid));
}

function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (Math.min(a.size, b.size) < comparable) return false;
  return overlap(a, b) >= sameLesson || (Math.min(a.size, b.size) > comparable && containment(a, b) >= sameText);
}

function negates(text: string): boolean {
  return negation.test(text);
}

function terms(text: string): Set<string> {
  return new Set(termsOf(text.replaceAll(new RegExp(negation, 'g'), ' ')));
}

function firstHit(text: string, patterns: readonly Pattern[]): string | undefined {
  return patterns.find(({ pattern }) => pattern.test(text))?.why;
}

function normalDraft(draft: LessonDraft): LessonDraft {
  return {
    trigger: normalText(draft.trigger),
    failurePattern: normalText(draft.failurePattern),
    lesson: normalText(draft.lesson),
    avoid: normalText(draft.avoid),
  };
}

function normalText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\u200c|\u200d|\ufe0f/g, '')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase();
}

function withoutQuotes(text: string): string {
  return text.replaceAll(/"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, ' ');
}

/** How many words the text has beyond the generic ones; a letter of an unspaced script counts half. */
function substance(text: string, generic: RegExp): number {
  const rest = text.replaceAll(generic, ' ');
  const found = rest.match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu)?.length ?? 0;
  const words = termsOf(rest.replaceAll(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu, ' ')).length;
  return words + found / 2;
}

function mostlyNumbers(text: string): boolean {
  const all = text.match(/[\p{L}\p{M}]+|\d[\d.,]*/gu) ?? [];
  const numbers = all.filter((word) => /^\d/.test(word));
  const precise = numbers.filter((number) => number.replaceAll(/\D/g, '').length >= 3);
  return precise.length > 0 && substance(text.replaceAll(/\d[\d.,]*/g, ' '), vagueAdvice) < leastAction;
}
