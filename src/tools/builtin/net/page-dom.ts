import { hiddenFrom, httpUrl, imageText } from './html-meaning.ts';
import { expandSpans, spanBudget } from './table-spans.ts';

/** The part of a DOM that is used here. The library's own types are those of a browser, which this program does not have. */
export interface PageNode {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly parentNode: PageNode | null;
  readonly previousSibling: PageNode | null;
}

export interface PageElement extends PageNode {
  readonly children: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelectorAll(selector: string): Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
  closest(selector: string): PageElement | null;
  remove(): void;
  before(...nodes: (PageElement | string)[]): void;
  prepend(...nodes: (PageElement | string)[]): void;
  after(...nodes: (PageElement | string)[]): void;
  replaceWith(...nodes: (PageElement | string)[]): void;
}

export interface PageDocument {
  createElement(name: string): PageElement;
  querySelectorAll(selector: string): Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
}

const inlineNames = new Set(['SPAN', 'B', 'STRONG', 'I', 'EM', 'A', 'SMALL', 'FONT', 'U', 'CODE', 'MATH', 'MI', 'MN']);

/** Makes the document say what `HtmlReader` reads in it: nothing hidden, absolute links, images as their text, marked powers. */
export function prepareDocument(document: PageDocument, url: URL): void {
  for (const element of [...document.querySelectorAll('*')]) {
    if (hiddenFrom(element.nodeName.toLowerCase(), (name) => element.getAttribute(name) ?? undefined)) element.remove();
  }
  for (const title of [...document.querySelectorAll('body title')]) title.remove();
  const base = httpUrl(document.querySelector('base[href]')?.getAttribute('href') ?? '', url) ?? url;
  for (const link of document.querySelectorAll('a[href]')) setTarget(link, base);
  for (const image of [...document.querySelectorAll('img')]) {
    image.replaceWith(imageText(image.getAttribute('alt') ?? ''));
  }
  for (const box of [...document.querySelectorAll('li input[type=checkbox]')]) box.replaceWith(boxText(box));
  for (const lineBreak of [...document.querySelectorAll('pre br')]) lineBreak.replaceWith('\n');
  for (const raised of document.querySelectorAll('sup')) markRaised(raised, '^');
  for (const lowered of document.querySelectorAll('sub')) markRaised(lowered, '_');
  const budget = spanBudget();
  for (const table of document.querySelectorAll('table')) expandSpans(table, document, budget);
}

function boxText(box: PageElement): string {
  return box.getAttribute('checked') === null ? '[ ] ' : '[x] ';
}

function setTarget(link: PageElement, base: URL): void {
  const href = link.getAttribute('href') ?? '';
  const target = href.startsWith('#') ? undefined : httpUrl(href, base);
  if (target) link.setAttribute('href', target.href);
  else link.removeAttribute('href');
}

/** Without a mark, ten to the power of two would read as one hundred and two. */
function markRaised(element: PageElement, mark: string): void {
  if (element.textContent?.trim() && /[\p{L}\p{N})\]]$/u.test(textBefore(element))) element.prepend(mark);
}

function textBefore(element: PageElement): string {
  let node: PageNode = element;
  while (!node.previousSibling && node.parentNode && inlineNames.has(node.parentNode.nodeName)) node = node.parentNode;
  return node.previousSibling?.textContent ?? '';
}
