import { decodeText } from './decode-text.ts';
import { ExpiringCache } from './expiring-cache.ts';
import { type GetOptions, getPage } from './get-page.ts';
import { FetchError } from './page-url.ts';
import { type Readable, readablePage, shownPage } from './readable-page.ts';
import { RobotsRules, robotsBytes } from './robots-rules.ts';

export interface ReaderOptions {
  allow: ReadonlySet<string>;
  /** See `isListed`. Undefined: any. */
  hosts: readonly string[] | undefined;
  userAgent: string;
  /** Network time of one call, redirects and robots.txt included. */
  timeoutMs: number;
  /** Time of the worker that turns a page into text. */
  extractionMs: number;
  maxBytes: number;
  maxPdfBytes: number;
  maxPdfPages: number;
  robots: boolean;
  /** The longest time a page is kept; 0 keeps none. */
  cacheMs: number;
}

interface KeptPage {
  readable: Readable;
  /** ISO 8601. */
  readAt: string;
}

const keptPages = 50;
/** Characters of all kept pages. */
const keptSize = 8 * 1024 * 1024;
const pdfTypes = new Set(['application/pdf', 'application/x-pdf']);

/** Reads pages as text, one tool's worth: its cache and the robots rules it has seen belong to no other tool. */
export class PageReader {
  readonly #options: ReaderOptions;
  readonly #pages = new ExpiringCache<KeptPage>({ maxEntries: keptPages, maxSize: keptSize });
  readonly #robots: RobotsRules;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#robots = new RobotsRules(options.userAgent, (url, signal) => this.#robotsText(url, signal));
  }

  /** The text of the page with what there is to say about it. Rejects with `FetchError` or the reason of the signal. */
  async read(url: string, signal: AbortSignal): Promise<string> {
    const found = await getPage<KeptPage>(url, {
      ...this.#request(signal),
      bytesOf: (type) => this.#bytesOf(type),
      before: (hop, hopSignal) => this.#before(hop, hopSignal),
    });
    if ('readable' in found) return shownPage(found.readable, found.readAt);
    const readAt = new Date().toISOString();
    const { extractionMs, maxPdfPages, cacheMs } = this.#options;
    const readable = await readablePage(found, { extractionMs, maxPdfPages, signal });
    this.#pages.set(
      found.url.href,
      { readable, readAt },
      { size: readable.text.length, forMs: Math.min(found.freshForMs, cacheMs) },
    );
    return shownPage(readable);
  }

  /** A page that is kept was allowed by its site when it was read. */
  async #before(hop: URL, signal: AbortSignal): Promise<KeptPage | undefined> {
    const { hosts } = this.#options;
    if (hosts && !isListed(hop.hostname, hosts)) {
      throw new FetchError(
        `${hop.host} is refused: only these hosts are read: ${hosts.slice(0, 20).join(', ')}; the user can list it in "hosts"`,
        { refused: true },
      );
    }
    const kept = this.#pages.get(hop.href);
    if (!kept && this.#options.robots) await this.#robots.check(hop, signal);
    return kept;
  }

  async #robotsText(url: string, signal: AbortSignal): Promise<string> {
    const page = await getPage(url, { ...this.#request(signal), bytesOf: () => robotsBytes });
    return decodeText({ ...page, charset: 'utf-8' });
  }

  #request(signal: AbortSignal): Pick<GetOptions<never>, 'allow' | 'userAgent' | 'timeoutMs' | 'signal'> {
    const { allow, userAgent, timeoutMs } = this.#options;
    return { allow, userAgent, timeoutMs, signal };
  }

  #bytesOf(type: string): number | undefined {
    if (pdfTypes.has(type)) return this.#options.maxPdfBytes;
    return isText(type) ? this.#options.maxBytes : undefined;
  }
}

/** Whether a host (as `URL` writes it, so in punycode) is in a list of such hosts, or below one that is written `*.example.com`. */
function isListed(host: string, listed: readonly string[]): boolean {
  const plain = host.replace(/\.$/, '');
  return listed.some((entry) => (entry.startsWith('*.') ? plain.endsWith(entry.slice(1)) : plain === entry));
}

function isText(type: string): boolean {
  return /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml)|application\/(?:x-ndjson|jsonl|yaml|x-yaml))?$/.test(type);
}
