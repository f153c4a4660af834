/**
 * Whether a draft is the run's own. A document that a run read may dictate a lesson, so that it fires in every later run; and a lesson that
 * a run was given may come back as its own, so that it confirms itself.
 *
 * What is found: copies, also in another case, width or spacing, and requests to the agent in nearly the same words. What is not: a
 * translation, or a paraphrase in other words. Such a lesson still has no authority: prompts show it as advice with its source.
 */
import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';
import { findPiece, normalised, piecesOf } from '../tools/policy/shared-text.ts';
import { contentTerms } from './draft-text.ts';
import type { Origin } from './memory.ts';
import { relationOf } from './relation.ts';
import { containment } from './tokens.ts';

/** A shared run of this length is copied: some six words, or as many letters where words have no spaces between them. */
const copies: readonly { length: number; wanted: RegExp }[] = [
  { length: 36, wanted: /./ },
  { length: 10, wanted: /^\p{Lo}+$/u },
];

/** A sentence that speaks to a reader instead of telling something. */
const request: RegExp =
  /\b(?:remember|memori[sz]e|from now on|in (?:the )?future|future (?:tasks?|runs?|sessions?|questions?)|next time|always|never|must|should|shall|have to|do not|don't|please|make sure|ensure|you|your|assistant|agent|ai|llm|model|whenever|every time)\b|记住|牢记|今后|以后|将来|下次|从现在起|总是|始终|务必|必须|应该|应当|不要|不得|禁止|切勿|请|你|您|助手|智能体|模型|每次|每当/;
/** Of the terms of a lesson, so many in one request are no chance. */
const mostTerms = 0.6;
const leastTerms = 3;
const mostSentences = 2_000;

/** A host name. An ending that files have is none. */
const host =
  /\b(?:[\p{L}\d-]{1,63}\.){1,5}(?!(?:[cm]?[jt]sx?|json[cl]?|md|txt|csv|tsv|pdf|xlsx?|docx?|py|sh|sql|ya?ml|toml|ini|env|html?|xml|log|db|go|rs|java|c|h|cpp|lock|zip)\b)\p{L}{2,24}\b/gu;

/** Why the draft seems to be dictated by an untrusted text; undefined when it does not. */
export function dictation(draft: LessonDraft, origin: Origin): string | undefined {
  const task = normalised(origin.task);
  const sources = origin.untrusted.map(normalised);
  for (const field of ['lesson', 'avoid', 'failurePattern', 'trigger'] as const) {
    const text = normalised(draft[field]);
    const address = [...text.matchAll(host)].find(
      ([name]) => !task.includes(name) && sources.some((seen) => seen.includes(name)),
    );
    if (address) return `${field} names ${address[0]}, which stands in an untrusted document`;
    if (copiedFrom(text, task, sources)) return `${field} copies the words of an untrusted document`;
  }
  const terms = contentTerms(`${draft.lesson} ${draft.avoid}`);
  const asked = sources.some((seen) => requestsOf(seen).some((sentence) => asksFor(sentence, terms)));
  return asked ? 'lesson says what an untrusted document asks its reader to do' : undefined;
}

function copiedFrom(text: string, task: string, sources: readonly string[]): boolean {
  return copies.some(({ length, wanted }) => {
    const pieces = piecesOf(text, length, (piece) => wanted.test(piece) && !task.includes(piece));
    return sources.some((seen) => findPiece(pieces, seen) !== undefined);
  });
}

/** The sentences that ask for something, each with the one after it: a request often says first that it is one. */
function requestsOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s|[。！？]/).slice(0, mostSentences);
  return sentences.flatMap((sentence, index) =>
    request.test(sentence) ? [sentence, `${sentence} ${sentences[index + 1] ?? ''}`] : [],
  );
}

function asksFor(sentence: string, terms: ReadonlySet<string>): boolean {
  const said = contentTerms(sentence);
  let shared = 0;
  for (const term of terms) if (said.has(term)) shared++;
  return shared >= leastTerms && shared / terms.size >= mostTerms;
}

/** Of a lesson that the run was given, so much makes a draft its echo. */
const mostlyEcho = 0.75;

/** The lesson that the run had been given and that the draft only repeats. A draft that contradicts it is no echo. */
export function echoOf(draft: LessonDraft, recalled: readonly Lesson[]): Lesson | undefined {
  const terms = contentTerms(draft.lesson);
  const text = normalised(draft.lesson);
  return recalled.find((given) => {
    const relation = relationOf(draft, given);
    if (relation !== 'unlike') return relation === 'same';
    const others = contentTerms(given.lesson);
    const contained = Math.min(terms.size, others.size) >= leastTerms && containment(terms, others) >= mostlyEcho;
    return contained || copiedFrom(text, '', [normalised(given.lesson)]);
  });
}
