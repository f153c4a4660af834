/**
 * What a site asks of robots (RFC 9309). Its file is read through the same guarded path as a page.
 *
 * 1. An answer of 3xx (a redirect loop) or 4xx means there are no rules: everything is allowed (section 2.3.1.3).
 * 2. When the file cannot be reached (5xx, network, time), everything is disallowed (section 2.3.1.4).
 * 3. Of the file only the groups for this robot are kept, and a file that would take long to judge by disallows: it was
 *    written by a stranger, and its rules times its names times the path is a product that he could make as large as he likes.
 */
import robotsParser from 'robots-parser';
import { messageOf } from '../../../core/errors.ts';
import { ExpiringCache } from './expiring-cache.ts';
import { FetchError } from './page-url.ts';

/** The text at a URL. Rejects with `FetchError`. */
export type ReadText = (url: string, signal: AbortSignal) => Promise<string>;

/** Of a file; the RFC asks for at least 500 KiB (section 2.5). */
export const robotsBytes: number = 512 * 1024;
const keptMs = 15 * 60_000;
const keptFiles = 100;
/** Of characters that are compared to judge one URL: a few milliseconds. */
const mostWork = 20_000_000;

interface Groups {
  isDisallowed(url: string): boolean | undefined;
  rules: number;
  /** Characters in rules with wildcards, each of which can be compared to each of the path. */
  wild: number;
}

export class RobotsRules {
  readonly #robot: string;
  readonly #read: ReadText;
  readonly #files = new ExpiringCache<Groups>({ maxEntries: keptFiles, maxSize: 8 * 1024 * 1024 });

  /** `userAgent` as it is sent: its first word is the name that groups are chosen by. */
  constructor(userAgent: string, read: ReadText) {
    this.#robot = productToken(userAgent);
    this.#read = read;
  }

  /** Throws `FetchError` when the rules of the site do not allow the URL or could not be read. */
  async check(url: URL, signal: AbortSignal): Promise<void> {
    const file = `${url.origin}/robots.txt`;
    if (url.href === file) return;
    const groups = this.#files.get(file) ?? (await this.#fetch(file, signal));
    const path = url.pathname.length + url.search.length;
    if ((groups.rules + groups.wild) * path > mostWork) {
      throw disallowed(url, `${file} is too long to be judged for an address of ${path} characters`);
    }
    if (groups.isDisallowed(url.href)) {
      throw disallowed(url, `${file} does not allow robots to read it`);
    }
  }

  async #fetch(file: string, signal: AbortSignal): Promise<Groups> {
    const rules = rulesFor(this.#robot, await this.#textOf(file, signal));
    const size = rules.reduce((sum, rule) => sum + rule.length, 0);
    const wild = rules.filter((rule) => rule.includes('*')).reduce((sum, rule) => sum + rule.length, 0);
    const groups = { ...parsed(file, rules), rules: rules.length, wild };
    this.#files.set(file, groups, { size, forMs: keptMs });
    return groups;
  }

  async #textOf(file: string, signal: AbortSignal): Promise<string> {
    try {
      return await this.#read(file, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FetchError) || error.refused) throw error;
      if (error.status !== undefined && error.status < 500) return '';
      throw new FetchError(
        `${messageOf(error)} (without a readable robots.txt a site counts as closed to robots; the user can pass robots: false)`,
      );
    }
  }
}

/** Judges by the file as it would be if it held only what concerns this robot. */
function parsed(file: string, rules: string[]): Pick<Groups, 'isDisallowed'> {
  const text = ['user-agent: *', ...rules].join('\n');
  // The package is one function; its types describe an ES module it is not.
  const robots: { isDisallowed(url: string, robot: string): boolean | undefined } = Reflect.apply(
    Object(robotsParser),
    undefined,
    [file, text],
  );
  return { isDisallowed: (url) => robots.isDisallowed(url, '*') };
}

function disallowed(url: URL, why: string): FetchError {
  return new FetchError(
    `${url.origin}${url.pathname.slice(0, 200)} is not read: ${why}; use another source, or the user can pass robots: false`,
    { refused: true },
  );
}

function productToken(userAgent: string): string {
  return /^[^\s/]+/.exec(userAgent)?.[0].toLowerCase() ?? '';
}

/** The rules for this robot by name, or else for all robots; groups of the same name count as one (section 2.2.1). */
function rulesFor(robot: string, source: string): string[] {
  const rules = new Map<string, string[]>();
  let names = new Set<string>();
  let inNames = false;
  for (const { name, rule } of linesOf(source)) {
    if (name !== undefined && !inNames) names = new Set();
    inNames = name !== undefined;
    // All other names are forgotten at once: as many names as rules would be very many pairs.
    if (name === robot || name === '*') {
      names.add(name);
      rules.set(name, rules.get(name) ?? []);
    }
    if (rule !== undefined) for (const known of names) rules.get(known)?.push(rule);
  }
  return rules.get(robot) ?? rules.get('*') ?? [];
}

function* linesOf(source: string): Generator<{ name?: string; rule?: string }> {
  for (const line of source.slice(0, robotsBytes).split(/[\r\n]+/)) {
    const [, field, value = ''] = /^\s*(user-agent|allow|disallow)\s*:([^#]*)/i.exec(line) ?? [];
    if (field === undefined) continue;
    yield /^user/i.test(field) ? { name: productToken(value.trim()) } : { rule: `${field}: ${value.trim()}` };
  }
}
