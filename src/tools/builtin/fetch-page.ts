import { createRequire } from 'node:module';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, tool } from '../tool.ts';
import type { PageReader } from './net/page-reader.ts';

export interface FetchPageOptions {
  /** `host:port` (exact, port always given) that may be private, for intranets and tests: `wiki.corp.example:443`. */
  allow?: string[];
  /** Only these hosts are read, also by redirects: `example.com`, or `*.example.com` for all below it. Default: every public host. */
  hosts?: string[];
  /** For the network part of one call, redirects and robots.txt included. Default 20,000. */
  timeoutMs?: number;
  /** For turning the page into text in a worker; then HTML is read in a plainer way. Default 10,000. */
  extractionMs?: number;
  /** Of the decompressed page; the rest is not read. Default 2 MiB. */
  maxBytes?: number;
  /** A longer PDF is refused. Default 10 MiB. */
  maxPdfBytes?: number;
  /** Pages of a PDF that are read; the result says when there are more. Default 100. */
  maxPdfPages?: number;
  /** Whether robots.txt is kept to (RFC 9309). Default true. */
  robots?: boolean;
  /** Sent as `User-Agent`; name a way to reach you, as in `Example-Bot/1.0 (+mailto:web@example.com)`. Default `Assay/<version> (…)`. */
  userAgent?: string;
  /** How long a page may be read from memory instead of asked for again, if its server does not say less. 0: never. Default 15 minutes. */
  cacheMs?: number;
}

/** The executor's own limit comes later, so that the error of this tool is the one that is seen. */
const graceMs = 5_000;

/**
 * A tool that reads a web page or PDF as text. Only http and https, only addresses of the public internet (checked on the address
 * that is connected to, after every redirect), no cookies, no scripts; hostile pages are parsed in a process that is killed at its
 * limits. Throws `UsageError` for an `allow` entry without port, a `hosts` entry that is none and a `userAgent` that is no header value.
 */
export function fetchPage(options: FetchPageOptions = {}): Tool {
  const settings = {
    timeoutMs: 20_000,
    extractionMs: 10_000,
    maxBytes: 2 * 1024 * 1024,
    maxPdfBytes: 10 * 1024 * 1024,
    maxPdfPages: 100,
    robots: true,
    cacheMs: 15 * 60_000,
    ...options,
    userAgent: headerValue(options.userAgent ?? ownName()),
    allow: new Set((options.allow ?? []).map(allowedHost)),
    hosts: options.hosts?.map(listedHost),
  };
  let reader: PageReader | undefined;
  return tool({
    name: 'fetchPage',
    description:
      'Reads one public web page (HTML, text, JSON, XML or PDF) and returns its text; links are shown as text (url). Scripts are not run.',
    input: z.object({ url: z.string().min(1).max(4_096).describe('The full http or https URL of the page.') }),
    effect: 'read',
    timeoutMs: settings.timeoutMs + settings.extractionMs + graceMs,
    run: async ({ url }, { signal }) => {
      // The network and HTML code is loaded by the first call, not by the start of the program.
      const module = await import('./net/page-reader.ts');
      reader ??= new module.PageReader(settings);
      return reader.read(url, signal);
    },
    touches: ({ url }) => {
      // A name with a dot at its end is the same host.
      const host = URL.parse(url)?.hostname.replace(/\.$/, '') ?? '';
      return { hosts: host === '' ? [] : [host] };
    },
  });
}

/** The name and version of this package. */
function ownName(): string {
  const manifest: unknown = createRequire(import.meta.url)('assay/package.json');
  return `Assay/${Reflect.get(Object(manifest), 'version')} (LLM agent; reads pages for one user)`;
}

function headerValue(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(text)) return text;
  throw new UsageError(
    'userAgent: not a header value; write printable ASCII of at most 200 characters, such as "Example-Bot/1.0 (+mailto:web@example.com)"',
  );
}

/** An entry in the form `URL` writes hosts: lower case, ASCII, IPv6 in brackets. */
function allowedHost(entry: string): string {
  const port = /:(\d{1,5})$/.exec(entry)?.[1];
  const url = URL.parse(`http://${entry}/`);
  if (port === undefined || !url || url.pathname !== '/' || url.username !== '') {
    throw new UsageError(
      `allow: "${entry}" is not host:port; write for example "127.0.0.1:8080" or "wiki.example:443"`,
    );
  }
  return `${url.hostname}:${Number(port)}`;
}

/** An entry of `hosts` in the same form. */
function listedHost(entry: string): string {
  const [, below = '', name = ''] = /^(\*\.)?([^/@:?#*\s]+|\[[\da-f:.]+\])$/i.exec(entry) ?? [];
  const host = URL.parse(`http://${name}/`)?.hostname;
  if (name === '' || !host) {
    throw new UsageError(`hosts: "${entry}" is no host name; write for example "example.com" or "*.example.com"`);
  }
  return below + host.replace(/\.$/, '');
}
