/**
 * Where the texts of a call come from. An effect whose arguments carry text that a stranger may have written, and that the user did
 * not write, is no longer the user's wish alone: a human is asked, and is shown the source.
 *
 * What is found: copies, whole or in part, also in another case, width or spacing, and inside a percent-encoded URL. What is not: text
 * that was translated, paraphrased, encoded or spelled out. The README says so.
 */
import type { Observation } from '../../core/attempt.ts';
import type { Given, TaintedText } from '../../core/turn.ts';
import { findPiece, normalised, piecesOf, sharedAround } from './shared-text.ts';
import { type TextAt, textsOf, urlsIn } from './touched.ts';

/** A shared word, number, address or identifier of this length is no chance. */
const tokenLength = 8;
/** Nor is a shared run of this length anywhere in a text, or of this many letters where words have no spaces between them. */
const runs: readonly { length: number; wanted: RegExp }[] = [
  { length: 8, wanted: /^\p{Lo}+$/u },
  { length: 12, wanted: /./ },
];
/** A whole argument that stands as a word of its own in a result was taken from there, however short; single letters are not looked at. */
const shortest = 2;

/** As many tainted texts of one call are told; the first is enough to ask. */
const mostTold = 20;

interface Source {
  name: string;
  text: string;
  observation?: Observation['id'];
}

/** What a call is judged against: what the user and the layers gave the run, what it has seen, and the words of the tool's schema. */
export interface Provenance {
  given: Given;
  observations: readonly Observation[];
  words: ReadonlySet<string>;
}

/** The texts of the arguments that come from an untrusted source and not from the user, in their order and at most 20. */
export function taintsOf(args: unknown, context: Provenance): TaintedText[] {
  const sources: Source[] = [
    ...context.observations.filter((seen) => seen.trust === 'untrusted').map(sourceOf),
    ...context.given.notes.map((text) => ({ name: 'a note of an earlier attempt', text: normalised(text) })),
  ];
  if (sources.length === 0) return [];
  const user = normalised(context.given.task);
  const found: TaintedText[] = [];
  for (const text of textsOf(args, context.words)) {
    const tainted = tracedTo(text, user, sources);
    if (tainted) found.push(tainted);
    if (found.length === mostTold) break;
  }
  return found;
}

/** Shorter words stand in a task by chance: the 13 of June 13 is no file the user named. */
const tellingLength = 4;

/**
 * The first text or number of the arguments that is not clearly the user's own, once anything untrusted was read. For what cannot be
 * undone it is not enough that no copy was found: a short name of a file or a mail leaves no trace.
 */
export function unvouchedOf(args: unknown, context: Provenance): TextAt | undefined {
  const untrusted = context.given.notes.length > 0 || context.observations.some((seen) => seen.trust === 'untrusted');
  if (!untrusted) return undefined;
  const user = normalised(context.given.task);
  return textsOf(args, context.words).find(({ text }) => {
    const plain = normalised(text);
    return plain !== '' && (plain.length < tellingLength || !standsIn(plain, user));
  });
}

/**
 * The first URL of the arguments that carries text of a result to a host that has not sent it, unless the URL stands as it is in the
 * task or a result: what is read may leave through an address. Asked of tools that only read.
 */
export function leakOf(args: unknown, context: Provenance): TaintedText | undefined {
  const addresses = textsOf(args, context.words).filter(({ text }) => urlsIn(text).length > 0);
  if (addresses.length === 0) return undefined;
  const user = normalised(context.given.task);
  const sources = context.observations.map(sourceOf);
  return firstOf(addresses, ({ at, text }) => {
    const asWritten = normalised(text);
    if (user.includes(asWritten) || sources.some((source) => source.text.includes(asWritten))) return undefined;
    return firstOf(urlsIn(text), (url) => {
      if (standsIn(url.hostname, user)) return undefined;
      const others = context.observations.filter((seen) => !isFrom(url, seen)).map(sourceOf);
      return firstOf(carriedBy(url), (carried) => traced({ at, text: carried }, user, others));
    });
  });
}

/** What a URL says besides its host, in parts; separators of words in addresses read as spaces too. */
function carriedBy(url: URL): string[] {
  const path = decoded(url.pathname).split('/');
  const query = [...url.searchParams].flat();
  const parts = [...path, ...query, decoded(url.hash.slice(1))]
    .map(normalised)
    .filter((part) => part.length >= tokenLength);
  return parts.flatMap((part) => [part, part.replaceAll(/[-_+.]/g, ' ')]);
}

const normalisedContents = new WeakMap<Observation, string>();

function sourceOf(seen: Observation): Source {
  const known = normalisedContents.get(seen) ?? normalised(seen.content);
  normalisedContents.set(seen, known);
  return { name: `${seen.id} (${seen.tool})`, text: known, observation: seen.id };
}

/** Whether the host sent the observation itself: what it knows it may hear. */
function isFrom(url: URL, seen: Observation): boolean {
  return textsOf(seen.args).some(({ text }) => urlsIn(text).some((sent) => sent.hostname === url.hostname));
}

function tracedTo({ at, text }: TextAt, user: string, sources: readonly Source[]): TaintedText | undefined {
  const plain = normalised(text);
  const open = decoded(text);
  return (
    traced({ at, text: plain }, user, sources) ??
    (open === text ? undefined : traced({ at, text: normalised(open) }, user, sources))
  );
}

function traced(argument: TextAt, user: string, sources: readonly Source[]): TaintedText | undefined {
  const { at, text } = argument;
  if (text.length < shortest || standsIn(text, user)) return undefined;
  const copied = sources.find((source) => standsIn(text, source.text));
  if (copied) return taintedBy(copied, at, text.slice(0, 80));
  const tokens = tokensOf(text).filter((token) => !user.includes(token));
  const pieces = runs.map(({ length, wanted }) =>
    piecesOf(text, length, (piece) => wanted.test(piece) && !user.includes(piece)),
  );
  return firstOf(sources, (source) => {
    const piece =
      tokens.find((token) => standsIn(token, source.text)) ?? firstOf(pieces, (some) => findPiece(some, source.text));
    if (piece === undefined) return undefined;
    return taintedBy(source, at, sharedAround(piece, { from: text, in: source.text }));
  });
}

function taintedBy({ name, observation }: Source, at: string, text: string): TaintedText {
  return { at, text, source: name, ...(observation !== undefined && { observation }) };
}

function tokensOf(text: string): string[] {
  const tokens = text.split(/[\s,;"'`()<>[\]{}|=]+/).map((token) => token.replace(/^[.:!?*#]+|[.:!?*#]+$/g, ''));
  return [...new Set(tokens)].filter((token) => token.length >= tokenLength);
}

/** Whether the text stands there with no letter or digit beside it. */
function standsIn(text: string, content: string): boolean {
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
    const before = content.slice(Math.max(0, at - 2), at);
    const after = content.slice(at + text.length, at + text.length + 2);
    if (!(/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after))) return true;
  }
  return false;
}

/** Percent-encoding undone where it can be. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
