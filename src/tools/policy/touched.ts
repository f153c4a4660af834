import { normalize, resolve } from 'node:path';
import { jsonSchemaOf, type Tool, type Touched } from '../tool.ts';

/** Longer texts are contents, no addresses. */
const longestPath = 4_096;
const bareUrl = /^(?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,24}(?::\d+)?[/?#]\S{0,8000}$/u;
const urlInText = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>`\\^{|}]+/gi;

/** What a call reaches: as the tool says, else every host of a URL and every text that looks like a path in its arguments. */
export function touchedBy(tool: Tool, args: unknown): Required<Touched> {
  const said = tool.touches?.(args);
  if (said) return { hosts: said.hosts ?? [], paths: said.paths ?? [] };
  const texts = textsOf(args).map(({ text }) => text);
  return { hosts: texts.flatMap(hostsIn), paths: texts.flatMap(pathIn) };
}

/** A text of the arguments and where it stands, such as `to[0]`. */
export interface TextAt {
  at: string;
  text: string;
}

/** Every text and number of a JSON value; names of members too, unless they are among `known`. */
export function textsOf(value: unknown, known: ReadonlySet<string> = noWords, at = ''): TextAt[] {
  if (typeof value === 'string') return known.has(value) ? [] : [{ at, text: value }];
  if (typeof value === 'number') return [{ at, text: String(value) }];
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, known, `${at}[${index}]`));
  return Object.entries(value).flatMap(([key, item]) => {
    const inner = at === '' ? key : `${at}.${key}`;
    const named = key.length < tellingName || known.has(key) ? [] : [{ at: `the name ${inner}`, text: key }];
    return [...named, ...textsOf(item, known, inner)];
  });
}

/** A name of a member that is shorter says nothing worth tracing. */
const tellingName = 8;
const noWords: ReadonlySet<string> = new Set();
const wordsOfTools = new WeakMap<Tool, ReadonlySet<string>>();

/** The names and fixed values of a tool's own schema: a call that holds them says nothing with them. */
export function schemaWords(tool: Tool): ReadonlySet<string> {
  const known = wordsOfTools.get(tool);
  if (known) return known;
  const words = new Set<string>();
  collectWords(jsonSchemaOf(tool.input), words);
  wordsOfTools.set(tool, words);
  return words;
}

function collectWords(schema: unknown, words: Set<string>): void {
  if (schema === null || typeof schema !== 'object') return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of Object.keys(Object(value))) words.add(name);
    if (keyword === 'enum' || keyword === 'const') {
      for (const fixed of [value].flat()) words.add(String(fixed));
    } else collectWords(value, words);
  }
}

/** The URLs that stand in a text, or that the whole text is when it leaves the scheme out: `www.example.com/a?b`. */
export function urlsIn(text: string): URL[] {
  if (!text.includes('://')) return bareUrl.test(text) ? [URL.parse(`http://${text}`)].flatMap((url) => url ?? []) : [];
  return (text.match(urlInText) ?? []).flatMap((found) => URL.parse(found) ?? []);
}

function hostsIn(text: string): string[] {
  return urlsIn(text).map((url) => url.hostname);
}

function pathIn(text: string): string[] {
  if (text.length > longestPath || text.includes('\n')) return [];
  const file = /^file:\/\/[^/]*(\/.*)$/i.exec(text)?.[1];
  const path = file ?? text;
  if (!(file || /^(?:[~.]{0,2}[\\/]|[a-z]:[\\/])/i.test(path) || /^[^\s:]+[\\/][^\s]*$/.test(path))) return [];
  return [resolve(normalize(path.replaceAll('\\', '/')))];
}
