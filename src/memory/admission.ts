import type { LessonDraft } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import type { Lesson } from '../core/lesson.ts';
import { redactor } from '../trace/redact.ts';
import {
  ban,
  genericFailure,
  hidden,
  mixedScript,
  narrative,
  obligation,
  outage,
  overreach,
  overreachToAvoid,
  type Pattern,
  passingFacts,
  relativeTime,
  vagueAdvice,
} from './admission-patterns.ts';
import { draftFields, normalDraft, recommends } from './draft-text.ts';
import type { Origin } from './memory.ts';
import { dictation, echoOf } from './origin.ts';
import { unscopedFact } from './passing.ts';
import { type Relation, relationOf } from './relation.ts';
import { termsOf } from './tokens.ts';

/** One rule: why it refuses the draft, or nothing. */
type Rule = (draft: Subject) => string | undefined;

/** A draft with its texts as the patterns read them. */
interface Subject {
  raw: LessonDraft;
  normal: LessonDraft;
}

/** What is to be done with a draft, and why, in words. */
export type Judgement =
  | { type: 'refused'; why: string }
  /** Kept for a human to look at, never recalled. */
  | { type: 'quarantined'; why: string }
  | { type: 'merged'; into: Lesson; why: string }
  | { type: 'admitted'; conflicts: Lesson[]; why: string };

const bounds: Record<(typeof draftFields)[number], { least: number; most: number }> = {
  trigger: { least: 2, most: 400 },
  failurePattern: { least: 2, most: 500 },
  lesson: { least: 4, most: 800 },
  avoid: { least: 0, most: 500 },
};

/** Least substance of a failure name and of an action, in words; a Chinese character is half a word. */
const leastFailure = 1.5;
const leastAction = 2;

const secrets = redactor({ env: {} });

/** What no lesson may say, whoever wrote it. */
const safety: readonly Rule[] = [hasFittingLengths, hidesNothing, holdsNoSecret, keepsWithinItsAuthority];

/** What makes a lesson worth keeping. */
const worth: readonly Rule[] = [outlivesItsRun, blamesNoOutage, namesTheFailure, givesAnAction, agreesWithItself];

/**
 * Whether a draft may become a lesson (invariant 11). Deterministic, for English and Chinese; a model wrote the draft from
 * untrusted material, so it is judged as such. `known` are the active and the retired lessons of its scope. Asked is first what could do
 * harm, then what is of no use, then what is known already.
 */
export function judgeDraft(draft: LessonDraft, known: readonly Lesson[], origin?: Origin): Judgement {
  const subject: Subject = { raw: draft, normal: normalDraft(draft) };
  const unsafe = firstRefusal(subject, safety);
  if (unsafe !== undefined) return { type: 'refused', why: unsafe };
  const dictated = origin && dictation(draft, origin);
  if (dictated !== undefined) return { type: 'quarantined', why: dictated };
  const useless = firstRefusal(subject, worth);
  if (useless !== undefined) return { type: 'refused', why: useless };
  const echoed = origin && echoOf(draft, origin.recalled);
  if (echoed)
    return { type: 'refused', why: `repeats ${echoed.id}, which its run had been given: that is no new evidence` };
  return amongKnown(draft, known);
}

/** Throws `UsageError` for a text that no lesson may say, not even on a human's word. */
export function checkSafety(draft: LessonDraft): void {
  const why = firstRefusal({ raw: draft, normal: normalDraft(draft) }, safety);
  if (why !== undefined) throw new UsageError(`This may not become a lesson: ${why}. Say it in another way.`);
}

function firstRefusal(subject: Subject, rules: readonly Rule[]): string | undefined {
  for (const rule of rules) {
    const why = rule(subject);
    if (why !== undefined) return why;
  }
  return undefined;
}

function amongKnown(draft: LessonDraft, known: readonly Lesson[]): Judgement {
  const related = known.map((lesson): [Relation, Lesson] => [relationOf(draft, lesson), lesson]);
  const same = related.filter(([relation]) => relation === 'same').map(([, lesson]) => lesson);
  const active = same.find((lesson) => lesson.status === 'active');
  if (active) return { type: 'merged', into: active, why: `merged into ${active.id}, which says the same` };
  const [retired] = same;
  if (retired) {
    const record = `${retired.losses} of ${retired.wins + retired.losses} runs with it`;
    return { type: 'refused', why: `repeats ${retired.id}, which was retired: ${record} did not end well` };
  }
  const conflicts = related.flatMap(([relation, lesson]) =>
    relation === 'opposed' && lesson.status === 'active' ? [lesson] : [],
  );
  const others = conflicts.map(({ id }) => id).join(', ');
  return { type: 'admitted', conflicts, why: conflicts.length > 0 ? `new, in conflict with ${others}` : 'new' };
}

function hasFittingLengths({ raw }: Subject): string | undefined {
  for (const field of draftFields) {
    const { least, most } = bounds[field];
    const length = [...raw[field].trim()].length;
    if (length < least) return `${field} is empty or too short to say anything`;
    if (length > most) return `${field} is ${length} characters long, ${most} is the most: say it shorter`;
  }
  return undefined;
}

function hidesNothing({ raw }: Subject): string | undefined {
  for (const field of draftFields) {
    if (hidden.test(raw[field])) return `${field} holds invisible or control characters`;
    if (mixedScript.test(raw[field])) return `${field} mixes Latin and Cyrillic letters in one word`;
  }
  return undefined;
}

function holdsNoSecret({ raw }: Subject): string | undefined {
  const field = draftFields.find((name) => raw[name].includes('[redacted:') || secrets.text(raw[name]) !== raw[name]);
  return field && `${field} holds a secret`;
}

function keepsWithinItsAuthority({ normal }: Subject): string | undefined {
  for (const field of draftFields) {
    const why = firstHit(normal[field], overreach) ?? (field === 'avoid' && firstHit(normal.avoid, overreachToAvoid));
    if (why) return `${field} ${why}`;
  }
  return undefined;
}

function outlivesItsRun({ normal }: Subject): string | undefined {
  for (const field of draftFields) {
    const why = firstHit(normal[field], passingFacts) ?? unscopedFact(normal[field], normal.trigger)?.why;
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

function firstHit(text: string, patterns: readonly Pattern[]): string | undefined {
  return patterns.find(({ pattern }) => pattern.test(text))?.why;
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
