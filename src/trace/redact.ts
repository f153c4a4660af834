/**
 * Takes secrets out of texts before they reach a trace, an error or a prompt (invariant 14).
 *
 * 1. A secret becomes `[redacted:KIND]`. Markers are never read again, so redacting twice is redacting once.
 * 2. Passes repeat until nothing changes: what one replacement uncovers the next pass sees.
 * 3. Clean text is the common case and costs one scan; nothing is allocated for it.
 * 4. Redact before truncating: a secret cut in two is no longer recognised.
 */
import { knownForms, secretsOf } from './known-secrets.ts';
import { longTail, looksLikeProse, namedValue, reference, secretField, shapes } from './secret-patterns.ts';

export interface Redactor {
  /** The text with every secret replaced by `[redacted:KIND]`. */
  text(value: string): string;
  /** The same JSON structure with its strings redacted, and with the whole value of a field whose name says it is secret. */
  json<T>(value: T): T;
  /** The same JSON structure with its strings redacted, whatever their fields are called. */
  texts<T>(value: T): T;
}

interface Replacement {
  pattern: RegExp;
  replace(match: string, ...groups: readonly unknown[]): string;
}

const marker = /(\[redacted:[a-z-]{1,40}\])/;
const tailedTests = shapes.filter(({ tailed }) => tailed).map(({ source }) => new RegExp(source));
const otherTests = shapes.filter(({ tailed }) => !tailed).map(({ source }) => new RegExp(source));
otherTests.push(new RegExp(namedValue, 'i'));
const byForm: readonly Replacement[] = [
  ...shapes.map(({ kind, source }) => ({
    pattern: new RegExp(source, 'g'),
    replace: (_match: string, kept?: unknown) => `${typeof kept === 'string' ? kept : ''}[redacted:${kind}]`,
  })),
  { pattern: new RegExp(namedValue, 'gi'), replace: replaceNamed },
];

/**
 * A redactor for the secrets it is told of, those in the environment, and everything that looks like one.
 * A variable counts when a part of its name is or ends in KEY, TOKEN, SECRET, PASSWORD, CREDENTIAL or AUTH and its value has
 * 8 characters or more and is no path, address or switch. Known values are also found JSON-escaped, URL-encoded and in
 * base64. `env` defaults to the process's; entries of `secrets` shorter than 4 characters are ignored.
 */
export function redactor(options: { env?: NodeJS.ProcessEnv; secrets?: readonly string[] } = {}): Redactor {
  const forms = knownForms(secretsOf(options.env ?? process.env, options.secrets ?? []));
  const known: Replacement | undefined = forms && { pattern: forms.all, replace: () => '[redacted:value]' };
  const replacements = [...(known ? [known] : []), ...byForm];

  // One pattern after the other: the engine searches for a fixed beginning much faster than for one of many.
  const isSuspect = (value: string) =>
    otherTests.some((shape) => shape.test(value)) ||
    (longTail.test(value) && tailedTests.some((shape) => shape.test(value))) ||
    (forms?.mayHold(value) ?? false);
  const text = (value: string): string => {
    if (!isSuspect(value)) return value;
    for (let current = value; ; ) {
      const next = replacements.reduce(replaceOutsideMarkers, current);
      if (next === current) return current;
      current = next;
    }
  };
  // The walk keeps every type but that of a secret number, which becomes a marker: safe is more than exact here.
  const json = <T>(value: T): T => redactJson(value, text) as T;
  return { text, json, texts: <T>(value: T): T => redactTexts(value, text) as T };
}

function replaceOutsideMarkers(text: string, { pattern, replace }: Replacement): string {
  if (!text.includes('[redacted:')) return text.replace(pattern, replace);
  return text
    .split(marker)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(pattern, replace)))
    .join('');
}

function replaceNamed(match: string, ...groups: readonly unknown[]): string {
  // The groups of `namedValue`: the separator, then pairs of quote and value, then a value without quotes.
  const [separator = '', ...rest] = groups.slice(0, 8).map((group) => (typeof group === 'string' ? group : ''));
  const [quote, value] = rest[0] ? [rest[0], rest[1]] : rest[2] ? [rest[2], rest[3]] : [rest[4], rest[5] || rest[6]];
  if (value === undefined || reference.test(value)) return match;
  if (!quote && /^[:：]/.test(separator) && looksLikeProse.test(value)) return match;
  return `${separator}${quote}[redacted:named-secret]`;
}

function redactTexts(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, text));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactTexts(item, text)]));
}

function redactJson(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactJson(item, text));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [key, redactField(key, item, text)] as const);
  const names = distinct(before.map(([key]) => text(key)));
  const same = before.every(([key, item], index) => names[index] === key && after[index]?.[1] === item);
  return same ? value : Object.fromEntries(after.map(([, item], index) => [names[index], item]));
}

function redactField(key: string, value: unknown, text: (value: string) => string): unknown {
  const isSecret = (typeof value === 'string' && value.length > 2) || typeof value === 'number';
  if (!isSecret || !secretField.test(key)) return redactJson(value, text);
  const written = String(value);
  return reference.test(written) || marker.test(written) ? redactJson(value, text) : '[redacted:named-secret]';
}

/** The names, with a number added to those that redaction made equal, so that no field is lost. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unused = name;
    for (let count = 2; taken.has(unused); count++) unused = `${name}#${count}`;
    taken.add(unused);
    return unused;
  });
}
