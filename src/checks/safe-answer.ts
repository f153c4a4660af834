import type { Attempt } from '../core/attempt.ts';
import { urlsIn } from './cited-urls.ts';

/** Longer ones are no Markdown that anybody wrote; the bound keeps the search linear. */
const image = /!\[([^\]]{0,1000})\](?:\([^)]{0,8000}\)|\[[^\]]{0,1000}\])?/g;
const element =
  /<\/?(?:img|image|picture|source|iframe|frame|object|embed|video|audio|track|link|style|script|svg|meta|base|form|input|button)\b[^>]{0,8000}>/gi;
const activeLink = /(\]\(\s*|\]:\s*|<|href\s*=\s*["']?)(?:javascript|data|vbscript|file|blob):[^\s>]{0,8000}/gi;

/**
 * An answer as it may be shown: no remote image, no element that loads or runs something, no link with another scheme than a page's,
 * and no query or fragment in an address that stands neither in the task nor in a result. Such an address is how text that was read
 * leaves: an image is fetched when it is drawn, a link when it is clicked. The words of the answer stay.
 */
export function safeAnswer(attempt: Pick<Attempt, 'answer' | 'observations' | 'state'>): string {
  const answer = attempt.answer ?? '';
  if (!/[!<:]/.test(answer)) return answer;
  const shown = answer
    .replace(image, (_, alt: string) => (alt === '' ? '[image removed]' : `[image removed: ${alt}]`))
    .replace(element, '')
    .replace(activeLink, (_, lead: string) => `${lead}removed${lead.startsWith('](') ? ')' : ''}`);
  const known = [attempt.state?.given.task ?? '', ...attempt.observations.map(({ content }) => content)];
  return urlsIn(shown).reduce((text, url) => withoutData(text, url, known), shown);
}

function withoutData(text: string, url: string, known: readonly string[]): string {
  const data = url.search(/[?#]/);
  if (data < 0 || known.some((source) => source.includes(url))) return text;
  return text.replaceAll(url, `${url.slice(0, data)} [address data removed]`);
}
