import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, tool } from '../tool.ts';

export interface FetchPageOptions {
  /** `host:port` (exact, port always given) that may be private, for intranets and tests: `wiki.corp.example:443`. */
  allow?: string[];
  /** For one call, redirects included. Default 20,000. */
  timeoutMs?: number;
  /** Of the decompressed page; the rest is not read. Default 2 MiB. */
  maxBytes?: number;
}

/** The executor's own limit comes later, so that the error of this tool is the one that is seen. */
const graceMs = 5_000;

/**
 * A tool that reads a web page as text. Only http and https, only addresses of the public internet (checked on the address
 * that is connected to, after every redirect), no cookies, no scripts. Throws `UsageError` for an `allow` entry without port.
 */
export function fetchPage(options: FetchPageOptions = {}): Tool {
  const { timeoutMs = 20_000, maxBytes = 2 * 1024 * 1024 } = options;
  const allow = new Set((options.allow ?? []).map(allowedHost));
  return tool({
    name: 'fetchPage',
    description:
      'Reads one public web page (HTML, text, JSON or XML) and returns its text; links are shown as text (url). Scripts are not run.',
    input: z.object({ url: z.string().min(1).max(4_096).describe('The full http or https URL of the page.') }),
    effect: 'read',
    timeoutMs: timeoutMs + graceMs,
    run: async ({ url }, { signal }) => {
      // The network and HTML code is loaded by the first call, not by the start of the program.
      const [{ getPage }, { readablePage }] = await Promise.all([
        import('./net/get-page.ts'),
        import('./net/readable-page.ts'),
      ]);
      return readablePage(await getPage(url, { allow, timeoutMs, maxBytes, signal }));
    },
  });
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
