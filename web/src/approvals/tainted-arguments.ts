/** The arguments of a call, text by text, with the parts that came from elsewhere: pure, so that every offset can be tested. */
import type { ApprovalView } from '../api/shapes.ts';
import type { Span } from '../evidence/marked-text.ts';

export type TaintSource = NonNullable<ApprovalView['sources']>[number];

/** A text, number or other single value of the arguments. */
export interface ArgumentText {
  /** Where it stands, as a source says it: `to[0]`, `mail.subject`. */
  at: string;
  text: string;
  /** What of it came from a source. */
  spans: Span[];
  sources: TaintSource[];
}

/** Every value of the arguments in order. Where the words of a source are not found as they are, all of the value is marked. */
export function argumentTexts(args: unknown, sources: readonly TaintSource[]): ArgumentText[] {
  return valuesOf(args, '').map(({ at, text }) => {
    const here = sources.filter((source) => source.at === at || source.at === `the name ${at}`);
    const spans = here.flatMap((source) => {
      if (source.at !== at) return [];
      const found = spansOf(text, source.text);
      return found.length > 0 ? found : [{ from: 0, to: text.length }];
    });
    return { at, text, spans, sources: here };
  });
}

function valuesOf(value: unknown, at: string): { at: string; text: string }[] {
  if (typeof value === 'string') return [{ at, text: value }];
  if (typeof value !== 'object' || value === null) return [{ at, text: String(value) }];
  const members = Object.entries(value);
  if (members.length === 0) return [{ at, text: Array.isArray(value) ? '[]' : '{}' }];
  if (Array.isArray(value)) return members.flatMap(([index, item]) => valuesOf(item, `${at}[${index}]`));
  return members.flatMap(([key, item]) => valuesOf(item, at === '' ? key : `${at}.${key}`));
}

/** Where the words stand in the text, in UTF-16 units of it. The server compares them folded, so that is how they are looked for. */
function spansOf(text: string, words: string): Span[] {
  const { folded, origins } = fold(text);
  const wanted = fold(words).folded.trim();
  if (wanted === '') return [];
  const spans: Span[] = [];
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + wanted.length)) {
    spans.push({ from: origins[at] ?? 0, to: origins[at + wanted.length] ?? text.length });
  }
  return spans;
}

const unseen = /[\p{Cf}\p{Variation_Selector}]/gu;

/** Lower case, compatibility forms folded, nothing invisible, any white space one space; and for each unit where it came from. */
function fold(text: string): { folded: string; origins: number[] } {
  let folded = '';
  const origins: number[] = [];
  let place = 0;
  for (const character of text) {
    const plain = character.normalize('NFKC').toLowerCase().replace(unseen, '').replace(/\s+/g, ' ');
    const isRepeat = plain === ' ' && folded.endsWith(' ');
    if (!isRepeat) {
      folded += plain;
      for (let unit = 0; unit < plain.length; unit++) origins.push(place);
    }
    place += character.length;
  }
  return { folded, origins };
}

/** What somebody typed as arguments: an object, or why it is none. */
type TypedArguments = { ok: true; args: Record<string, unknown> } | { ok: false; why: string };

export function parseArguments(typed: string): TypedArguments {
  try {
    const value: unknown = JSON.parse(typed);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, why: '' };
    return { ok: true, args: { ...value } };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}
