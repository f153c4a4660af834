/** What elements and attributes mean to a reader of a page, for both ways of reading it. */

/** Code, controls and navigation: nothing in them is content. */
const ignoredNames = new Set([
  ...['script', 'style', 'template', 'svg', 'canvas', 'iframe', 'object', 'embed', 'audio', 'video', 'map'],
  ...['nav', 'button', 'select', 'datalist', 'textarea'],
]);
const ignoredRoles = new Set(['navigation', 'menu', 'menubar', 'search']);
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?![.\d]*[1-9])/i;
const longestStyle = 2_000;

/** No address for people is longer; a `data:` one can be. */
const longestUrl = 2_000;

/** Whether an element and all in it is no text of the page: it is ignored by its name (lower case) or hidden by an attribute. */
export function hiddenFrom(name: string, attribute: (name: string) => string | undefined): boolean {
  if (ignoredNames.has(name) || (name === 'dialog' && attribute('open') === undefined)) return true;
  // Pages hide their body until a script has run, and no script runs here.
  if (name === 'html' || name === 'body') return false;
  return (
    attribute('hidden') !== undefined ||
    attribute('aria-hidden') === 'true' ||
    ignoredRoles.has(attribute('role') ?? '') ||
    hiddenStyle.test((attribute('style') ?? '').slice(0, longestStyle))
  );
}

/** Where a link leads, if that is a page: an absolute http or https address of usual length, a name in punycode. */
export function httpUrl(href: string, base: URL | undefined): URL | undefined {
  if (href.length > longestUrl) return undefined;
  const url = URL.parse(href, base?.href);
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.href.length <= longestUrl ? url : undefined;
}

/** What stands for an image: what it shows, never where it is. */
export function imageText(alt: string): string {
  const said = alt.replace(/\s+/g, ' ').trim();
  return said === '' ? '' : ` [image: ${said}] `;
}

/** Text that would be an image from elsewhere if the result were shown as Markdown stays text. */
export function withoutImages(text: string): string {
  return text.replace(/!\[(?=(?:[^\][\n]|\[[^\][\n]{0,50}\]){0,500}\]\s?[([])/g, '!\\[');
}
