/** The arguments of a call as an approver sees them: nothing hidden, nothing that scrolls the rest away. */
import { canonicalJson } from '../core/json.ts';
import { textsOf, urlsIn } from '../tools/policy/touched.ts';
import { escapeHidden } from './clean.ts';

/** A text of more characters is shown by its two ends and its length. */
const longest = 400;
const shownHead = 240;
const shownTail = 120;
/** More than twelve of one character in a row, most of all spaces, are told as a number. */
const longRun = /(.)\1{12,}/gsu;

/** One line of canonical JSON in which every hidden character is written out and long texts are shown by their ends. */
export function shownArguments(args: unknown): string {
  return canonicalJson(shortened(args)).replace(/\\\\u\{/g, '\\u{');
}

/** The whole arguments as canonical JSON with every hidden character written out. */
export function exactArguments(args: unknown): string {
  return escapeHidden(canonicalJson(args));
}

/** Hosts that are written with other letters than they are looked up by: `xn--exmple-4nf.com, written as exаmple.com`. */
export function foreignHosts(args: unknown): string[] {
  const hosts = textsOf(args).flatMap(({ text }) => urlsIn(text).map((url) => url.hostname));
  return [...new Set(hosts)].filter((host) => host.split('.').some((label) => label.startsWith('xn--')));
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [shortText(key), shortened(item)]));
}

function shortText(text: string): string {
  const visible = escapeHidden(text.replace(longRun, (run, one: string) => `${one}[${[...run].length} times]`));
  if (visible.length <= longest) return visible;
  const left = visible.length - shownHead - shownTail;
  return `${visible.slice(0, shownHead)} […${left} more characters…] ${visible.slice(-shownTail)}`;
}
