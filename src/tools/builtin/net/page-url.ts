/** Why a page was not read: what happened and the remedy. `status` is the server's answer, if there was one. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  /** A rule of this program forbids the address: asking again is useless. */
  readonly refused: boolean;
  readonly status: number | undefined;
  constructor(message: string, facts: { refused?: boolean; status?: number | undefined } = {}) {
    super(message);
    this.refused = facts.refused ?? false;
    this.status = facts.status;
  }
}

const longestShown = 300;

/**
 * The URL without its fragment, if it is one that may be fetched at all: http or https, and without a user name. Throws
 * `FetchError`. Messages show hosts as `URL` writes them: a look-alike letter is seen as punycode (`xn--…`).
 */
export function checkedUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  const where = base ? `the redirect of ${shownUrl(base)} to ${shownUrl(url ?? text)}` : shownUrl(url ?? text);
  if (!url)
    throw new FetchError(`${where} is no URL: give a full one such as https://example.com/page`, { refused: true });
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError(`${where} is refused: only http and https can be fetched, not ${url.protocol}`, {
      refused: true,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchError(`${url.host} is refused: the URL contains a user name or password; give it without`, {
      refused: true,
    });
  }
  url.hash = '';
  return url;
}

/** `host:port` of a URL with the port always written out; a name is in its ASCII (punycode) form. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/** A URL for a message: bounded, and without the user name and password it may hold. */
export function shownUrl(url: URL | string): string {
  const text = typeof url === 'string' ? url : withoutCredentials(url);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}

function withoutCredentials(url: URL): string {
  if (url.username === '' && url.password === '') return url.href;
  const bare = new URL(url.href);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
