import type { Attempt, Issue } from '../core/attempt.ts';
import type { Task } from '../core/task.ts';
import type { Check } from './check.ts';

/**
 * Every URL of the answer and its claims was visited (it is an argument of an `ok` observation, or its first line says
 * `URL: …`) or stands in the task. Compared without fragment, trailing slash, default port, case of the host and
 * tracking parameters (utm_…); the rest of the query counts. URLs in fenced code are no citations.
 */
export const citedUrls: Check = {
  name: 'citedUrls',
  run(attempt, task) {
    const known = knownUrls(attempt, task);
    const told = new Set<string>();
    const texts = [
      ...attempt.claims.map(({ text }) => ({ text, claim: text })),
      { text: (attempt.answer ?? '').replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, ' '), claim: undefined },
    ];
    return texts.flatMap(({ text, claim }) =>
      urlsIn(text).flatMap((url): Issue[] => {
        const compared = comparableUrl(url);
        if (known.has(compared) || told.has(compared)) return [];
        told.add(compared);
        return [
          {
            type: 'unsupported_claim',
            detail: `${url} is cited but was never opened in this run`,
            requiredAction: 'open it with a tool and check what it says, cite a page that was opened, or remove it',
            ...(claim !== undefined && { claim }),
          },
        ];
      }),
    );
  },
};

/** The http(s) URLs of a text, without what Markdown, brackets and sentences put around them. */
export function urlsIn(text: string): string[] {
  const urls: string[] = [];
  const pattern = /https?:\/\/[^\s<>"'`\\^{}|，。；：、！？（）【】「」『』《》“”‘’]+/giu;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const balanced = balancedPart(match[0]);
    pattern.lastIndex = match.index + Math.max(balanced.length, 'http://'.length);
    const url = balanced.replace(/[.,;:!?*_~]+$/, '');
    if (/^https?:\/\/./i.test(url)) urls.push(url);
  }
  return urls;
}

/** Up to the first closing bracket that was not opened inside: a_(b) is whole, a) ends before the bracket. */
function balancedPart(url: string): string {
  const open: string[] = [];
  for (const [index, character] of [...url].entries()) {
    if (character === '(' || character === '[') open.push(character);
    if (character !== ')' && character !== ']') continue;
    if (open.pop() !== (character === ')' ? '(' : '[')) return [...url].slice(0, index).join('');
  }
  return url;
}

/** Parameters that say where a reader came from and never what page it is. */
const tracking = /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|igshid|_hsenc|_hsmi)$/i;

/** A URL in the form in which two of them are the same page. */
export function comparableUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.hash = '';
  for (const name of [...parsed.searchParams.keys()]) if (tracking.test(name)) parsed.searchParams.delete(name);
  return parsed.href.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase()).replace(/\/(?=$|\?)/, '');
}

/** The pages an attempt may cite, as `comparableUrl` writes them. */
export function knownUrls(attempt: Attempt, task: Task): Set<string> {
  const given = [task.input, ...task.constraints].flatMap(urlsIn);
  const visited = attempt.observations
    .filter((observation) => observation.status === 'ok')
    .flatMap((observation) => [...stringsIn(observation.args), ...reachedUrl(observation.content)])
    .filter((text) => /^\s*https?:\/\//i.test(text))
    .map((text) => text.trim());
  return new Set([...given, ...visited].map(comparableUrl));
}

/** The page a redirect led to, which the fetching tool puts on its first line. */
function reachedUrl(content: string): string[] {
  const first = /^URL: (\S+)/.exec(content);
  return first?.[1] ? [first[1]] : [];
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
}
