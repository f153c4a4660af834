import type { Attempt, Issue } from '../core/attempt.ts';
import { canonicalJson } from '../core/json.ts';
import type { Task } from '../core/task.ts';
import type { Check } from './check.ts';
import { comparableUrl, knownUrls, urlsIn } from './cited-urls.ts';
import { significantLength, standsIn } from './quote-text.ts';

/** An entry of the reference list. */
interface Reference {
  mark: string;
  text: string;
}

const codeOrMath = /(```|~~~)[\s\S]*?(?:\1|$)|`[^`\n]*`|\$\$[\s\S]*?\$\$/g;
const entry = /^[ \t]*(?:[-*][ \t]+)?(?:\[\^?(\d{1,3})\]|【(\d{1,3})】)[ \t]*[:：.]?[ \t]*(\S.*)$/gm;
const numberedEntry = /^[ \t]*(\d{1,3})[.)、][ \t]+(\S.*)$/gm;
const heading =
  /^[ \t]*(?:#{1,6}[ \t]*|\*\*)?(?:references|sources|bibliography|works cited|参考文献|参考资料|来源|引用)(?:\*\*)?[ \t]*[:：]?[ \t]*(?:\*\*)?[ \t]*$/im;
/** Not before a bracket or a colon, where it would be the text of a link or an entry. */
const marker =
  /(?<!\w_?)(?:\[\^?(\d{1,3}(?:\s?[,，、;–-]\s?\^?\d{1,3})*)\]|【(\d{1,3}(?:[,，、]\s?\d{1,3})*)】)(?![([:：\w])/gu;
/** At the end of a sentence: where there is no list, other numbers in brackets are more likely something else. */
const closing = new RegExp(`${marker.source}(?=\\s*(?:[.。;；[【]|$))`, 'gmu');
/** At the end of a word, where code has an index: only where there is a list to look it up in. */
const glued = /(?<=[\p{L}\d%])\[\^?(\d{1,3}(?:\s?[,，、;–-]\s?\^?\d{1,3})*)\](?![([:：\w])/gu;

/**
 * Every reference mark of the answer, such as [3], leads to an entry of its reference list, and every entry to something
 * this run read: a visited URL, or a title that stands in a result. Without a list, marks that begin with [1] may count
 * claims or observations. URLs that were never opened are also the business of `citedUrls`; here the sentences that rest
 * on them are named.
 */
export const references: Check = {
  name: 'references',
  run(attempt, task) {
    const answer = (attempt.answer ?? '').replace(codeOrMath, ' ');
    const listed = referenceList(answer);
    const marks = marksIn(withoutList(answer, listed), listed.length === 0 ? [closing] : [marker, glued]);
    return listed.length === 0 ? withoutEntries(marks, attempt, task) : withEntries(marks, listed, { attempt, task });
  },
};

function referenceList(answer: string): Reference[] {
  const bracketed = [...answer.matchAll(entry)].map(([, one, other, text = '']) => ({
    mark: one ?? other ?? '',
    text,
  }));
  if (bracketed.length > 0) return bracketed;
  const title = heading.exec(answer);
  if (!title) return [];
  const below = answer.slice(title.index + title[0].length);
  return [...below.matchAll(numberedEntry)].map(([, mark = '', text = '']) => ({ mark, text }));
}

function withoutList(answer: string, listed: readonly Reference[]): string {
  if (listed.length === 0) return answer;
  const cut = answer.replace(entry, ' ');
  const title = heading.exec(cut);
  return title ? cut.slice(0, title.index) : cut;
}

interface Mark {
  mark: string;
  sentence: string;
}

function marksIn(text: string, patterns: readonly RegExp[]): Mark[] {
  const found = new Map<string, Mark>();
  for (const pattern of patterns)
    for (const match of text.matchAll(pattern))
      for (const mark of marksOf(match[1] ?? match[2] ?? ''))
        if (!found.has(mark)) found.set(mark, { mark, sentence: sentenceAt(text, match.index) });
  return [...found.values()];
}

/** 1, 3 and 5-7; none for what begins with 0, which is an interval or an index. */
function marksOf(list: string): string[] {
  if (list.startsWith('0')) return [];
  return list.split(/[,，、;]/).flatMap((part) => {
    const [from = 0, to = from] = part.replace(/\^/g, '').split(/[–-]/).map(Number);
    return Array.from({ length: Math.min(to - from, 100) + 1 }, (_, place) => String(from + place));
  });
}

function sentenceAt(text: string, index: number): string {
  const before =
    text
      .slice(Math.max(0, index - 200), index)
      .split(/[\n。！？]|[.!?]\s(?!\[)/u)
      .at(-1) ?? '';
  return before.trim();
}

function withEntries(
  marks: readonly Mark[],
  listed: readonly Reference[],
  from: { attempt: Attempt; task: Task },
): Issue[] {
  const known = knownUrls(from.attempt, from.task);
  const read = readTexts(from.attempt, from.task);
  const faults = new Map<string, string>();
  for (const { mark, text } of listed) {
    const fault = entryFault(text, known, read);
    if (fault) faults.set(mark, fault);
  }
  const listedMarks = new Set(listed.map(({ mark }) => mark));
  const dangling = marks.filter(({ mark }) => !listedMarks.has(mark));
  const resting = marks.filter(({ mark }) => faults.has(mark));
  const unused = [...faults].filter(([mark]) => !resting.some((used) => used.mark === mark));
  return [
    ...dangling.map((used) => markIssue(used, 'is not in the reference list')),
    ...resting.map((used) => markIssue(used, faults.get(used.mark) ?? '')),
    ...unused.map(([mark, why]) => markIssue({ mark, sentence: '' }, why)),
  ];
}

function withoutEntries(marks: readonly Mark[], { claims, observations }: Attempt, task: Task): Issue[] {
  // One mark alone may be a list of one number, an interval or an index.
  if (marks.length < 2 || !marks.some(({ mark }) => mark === '1')) return [];
  const most = Math.max(claims.length, observations.length);
  const given = [task.input, ...task.constraints, ...observations.map(({ content }) => content)];
  return marks
    .filter(({ mark }) => Number(mark) > most && !given.some((text) => text.includes(`[${mark}]`)))
    .map((used) => markIssue(used, 'leads nowhere: there is no reference list'));
}

function markIssue({ mark, sentence }: Mark, why: string): Issue {
  return {
    type: 'unsupported_claim',
    detail: `[${mark}] ${why}${sentence ? ` ("${sentence}")` : ''}`,
    requiredAction: 'list what was really read under this number, or remove the mark and what rests on it',
  };
}

function entryFault(text: string, known: ReadonlySet<string>, read: readonly string[]): string | undefined {
  const urls = urlsIn(text);
  if (urls.length > 0) {
    const unvisited = urls.filter((url) => !known.has(comparableUrl(url)));
    return unvisited.length === urls.length
      ? `leads to ${unvisited[0]}, which was never opened in this run`
      : undefined;
  }
  if (/\bobs-\d+\b/.test(text) || titlesOf(text).some((title) => read.some((source) => standsIn(title, source))))
    return undefined;
  return significantLength(text) < 8
    ? undefined
    : `leads to "${text.trim().slice(0, 120)}", which is in nothing this run read`;
}

/** What in an entry may be a title or a file's name: the whole, what stands in quotation marks or emphasis, and its parts. */
function titlesOf(text: string): string[] {
  const plain = text.replace(/[*_]{1,2}/g, '"');
  const marked = [...plain.matchAll(/["“《「『]([^"”》」』]{3,})["”》」』]/gu)].map(([, title = '']) => title);
  const files = plain.match(/[\w./-]+\.\w{1,5}\b/g) ?? [];
  const parts = plain.split(/[,，、;；:：|()（）]|\.\s|\s[–—-]\s|。/u).filter((part) => significantLength(part) >= 6);
  return [plain, ...marked, ...files, ...parts].map((title) => title.trim());
}

function readTexts({ observations, claims }: Attempt, task: Task): string[] {
  const usable = observations.filter(({ status }) => status === 'ok');
  return [
    task.input,
    ...task.constraints,
    ...claims.map(({ text }) => text),
    ...usable.flatMap(({ content, args, tool }) => [content, canonicalJson(args), tool]),
  ];
}
