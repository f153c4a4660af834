/** What a lesson says that may be true for a while only. */
import type { LessonDraft } from '../core/attempt.ts';
import type { Applicability } from '../core/lesson.ts';
import { ban, outage, type Pattern, scopedFacts } from './admission-patterns.ts';
import { draftFields, normalDraft, normalText } from './draft-text.ts';

/** How long a lesson lives that may rest on a passing state: 7 days, in milliseconds. */
export const passingTtlMs: number = 7 * 24 * 60 * 60 * 1000;

/** Whether it tells of an outage, does without a tool altogether, or is bound to one date, price or record. */
export function isPassing(lesson: LessonDraft & { applies?: Applicability | undefined }): boolean {
  const normal = normalDraft(lesson);
  if (outage.test(`${normal.failurePattern} ${normal.lesson}`)) return true;
  if (lesson.applies?.tools?.some((tool) => forbidsTool(lesson, tool))) return true;
  return draftFields.some((field) => scopedFacts.some(({ pattern }) => pattern.test(normal[field])));
}

/** The first fact of the text that the trigger does not name. A lesson may be bound to one date, price or record, and then says so. */
export function unscopedFact(text: string, trigger: string): Pattern | undefined {
  return scopedFacts.find(({ pattern }) => {
    const [fact] = pattern.exec(text) ?? [];
    return fact !== undefined && !trigger.includes(fact.trim());
  });
}

const unqualified = /^ ?(?:tools?|functions?|apis?|services?|工具|接口|服务)?(?: (?:again|any ?more|at all|ever))?$/;
const pronoun = /^(?: ever)? (?:it|them|this tool|that tool)\b|^它/;

/** Whether the lesson tells never to use the tool, with no condition. */
export function forbidsTool(lesson: LessonDraft, tool: string): boolean {
  const name = wordsOf(tool);
  const clauses =
    `${wordsOf(lesson.lesson)}; ${wordsOf(lesson.avoid).replace(/^(?:using|use of|calling|relying on) /, 'never use ')}`
      .split(/[;,.:，。；：]/)
      .map((clause) => clause.trim());
  return clauses.some((clause, index) => {
    const found = ban.exec(clause);
    if (!found) return false;
    const rest = clause.slice(found.index + found[0].length).replace(/^ (?:on|the|a) /, ' ');
    if (pronoun.test(rest)) return clauses.slice(0, index).some((before) => hasWords(before, name));
    const object = rest.trim().replace(/^(?:the )?(?:tool|service|工具|接口) /, '');
    return object.startsWith(name) && unqualified.test(object.slice(name.length));
  });
}

/** Whether the text names the tool, as `searchDocs`, `search_docs` or `search docs`. */
export function namesTool(text: string, tool: string): boolean {
  return hasWords(wordsOf(text), wordsOf(tool));
}

function wordsOf(text: string): string {
  return normalText(text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
}

function hasWords(text: string, words: string): boolean {
  const isLetter = (at: number): boolean => /[a-z\d]/.test(text[at] ?? '');
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isLetter(at - 1) && !isLetter(at + words.length)) return true;
  }
  return false;
}
