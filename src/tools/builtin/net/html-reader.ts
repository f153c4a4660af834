import { hiddenFrom, httpUrl, imageText } from './html-meaning.ts';
import { SpanTracker, spanBudget } from './table-spans.ts';
import { TextWriter } from './text-writer.ts';

type Attributes = Record<string, string>;

/** Elements that stand on lines of their own, and those that also keep a distance. */
const lineNames = new Set([
  ...[
    'div',
    'section',
    'article',
    'main',
    'header',
    'footer',
    'aside',
    'address',
    'form',
    'fieldset',
    'legend',
    'body',
  ],
  ...['li', 'dt', 'dd', 'tr', 'caption', 'thead', 'tbody', 'tfoot', 'summary', 'figcaption', 'br'],
]);
const blockNames = new Set([
  ...['p', 'ul', 'ol', 'dl', 'table', 'pre', 'blockquote', 'figure', 'details', 'hr'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);
const listNames = new Set(['ul', 'ol']);
const cellNames = new Set(['td', 'th']);
const raisedNames = new Map([
  ['sup', '^'],
  ['sub', '_'],
]);
const struckNames = new Set(['del', 's', 'strike']);
const struckMark = '~~';

/** Of the addresses of all links together: a long base address makes a short page of many links a very long text. */
const mostLinkCharacters = 1_000_000;

interface OpenTable {
  /** A cell of it is open. */
  inCell: boolean;
  spans: SpanTracker;
}

interface OpenElement {
  name: string;
  ignored: boolean;
  /** Of an ordered list: the number of its next item. */
  nextNumber?: number | undefined;
  /** Of a row: it has a cell already. */
  hasCell: boolean;
  /** Of a cell: the empty ones that follow it. */
  following: number;
  /** Of a link: where it leads and what it says. */
  href?: string | undefined;
  linkText: string;
}

/**
 * Writes the text of one HTML document from the events of a parser.
 *
 * 1. Every `open` has one `close`, in the order of a stack; the parser sends both for void elements, too.
 * 2. While an ignored element is open, nothing is written, whatever is inside.
 * 3. Inside a table cell no line ends, unless a table stands in it: a row is one line.
 */
export class HtmlReader {
  readonly #writer = new TextWriter();
  readonly #open: OpenElement[] = [];
  readonly #tables: OpenTable[] = [];
  readonly #spanBudget = spanBudget();
  #base: URL | undefined;
  #title = '';
  #hasTitle = false;
  #ignoredDepth = 0;
  #verbatimDepth = 0;
  #listDepth = 0;
  #link: OpenElement | undefined;
  /** Written before the next text, if there is any. */
  #pendingMark = '';
  #deepest = 0;
  #elements = 0;
  #linkCharacters = 0;

  constructor(base: URL | undefined) {
    this.#base = base;
  }

  /** The greatest number of elements that were open at once. */
  get deepest(): number {
    return this.#deepest;
  }

  get elements(): number {
    return this.#elements;
  }

  get title(): string {
    return this.#title.replace(/\s+/g, ' ').trim();
  }

  toString(): string {
    return this.#writer.toString();
  }

  open(name: string, attributes: Attributes): void {
    const ignored = hiddenFrom(name, (attribute) => attributes[attribute]);
    const parent = this.#open.at(-1);
    const element: OpenElement = { name, ignored, hasCell: false, following: 0, linkText: '' };
    this.#open.push(element);
    this.#elements++;
    this.#deepest = Math.max(this.#deepest, this.#open.length);
    if (ignored) this.#ignoredDepth++;
    if (this.#ignoredDepth > 0) return;
    if (name === 'tr') this.#beginRow();
    this.#break(name);
    this.#begin(element, attributes, parent);
  }

  close(): void {
    const element = this.#open.pop();
    if (!element) return;
    if (element.ignored) this.#ignoredDepth--;
    else if (this.#ignoredDepth === 0) this.#end(element);
  }

  text(text: string): void {
    if (this.#ignoredDepth > 0) return;
    if (this.#open.at(-1)?.name === 'title') {
      if (!this.#hasTitle) this.#title += text;
      return;
    }
    if (this.#pendingMark !== '' && text.trim() !== '') {
      if (/^\s/.test(text)) this.#writer.space();
      this.#writer.mark(this.#pendingMark);
      this.#pendingMark = '';
      this.#write(text.trimStart());
    } else {
      this.#write(text);
    }
  }

  #write(text: string): void {
    if (this.#link) this.#link.linkText += text;
    if (this.#verbatimDepth > 0) this.#writer.verbatim(text);
    else this.#writer.text(text);
  }

  #begin(element: OpenElement, attributes: Attributes, parent: OpenElement | undefined): void {
    const { name } = element;
    if (listNames.has(name)) this.#beginList(element, attributes);
    else if (cellNames.has(name)) this.#beginCell(element, attributes, parent);
    else if (name === 'table') this.#tables.push({ inCell: false, spans: new SpanTracker(this.#spanBudget) });
    else if (name === 'pre') this.#verbatimDepth++;
    else if (name === 'a') this.#beginLink(element, attributes);
    else if (name === 'img') this.#image(attributes);
    else if (name === 'base') this.#base = httpUrl(attributes['href'] ?? '', this.#base) ?? this.#base;
    else if (struckNames.has(name)) this.#pendingMark = struckMark;
    else if (raisedNames.has(name)) this.#beginRaised(raisedNames.get(name) ?? '');
    else if (!this.#inCell()) this.#writer.prefix(this.#prefixOf(name, parent));
  }

  #end(element: OpenElement): void {
    const { name } = element;
    if (name === 'title') this.#hasTitle ||= this.#title.trim() !== '';
    else if (listNames.has(name)) this.#listDepth--;
    else if (cellNames.has(name)) this.#endCell(element);
    else if (name === 'tr') this.#tables.at(-1)?.spans.endRow();
    else if (name === 'table') this.#tables.pop();
    else if (name === 'pre') this.#verbatimDepth--;
    else if (name === 'a') this.#endLink(element);
    else if (struckNames.has(name) && this.#pendingMark === '') this.#writer.mark(struckMark);
    if (struckNames.has(name) || raisedNames.has(name)) this.#pendingMark = '';
    if (name === 'li' || isHeading(name)) this.#writer.clearPrefix();
    if (name !== 'br') this.#break(name);
  }

  #break(name: string): void {
    const isBlock = blockNames.has(name);
    if (!isBlock && !lineNames.has(name)) return;
    if (this.#inCell() && name !== 'table') this.#writer.space();
    else if (isBlock && !(listNames.has(name) && this.#listDepth > 0)) this.#writer.endBlock();
    else this.#writer.endLine();
  }

  #prefixOf(name: string, parent: OpenElement | undefined): string {
    if (isHeading(name)) return `${'#'.repeat(Number(name.charAt(1)))} `;
    if (name !== 'li') return '';
    const indent = '  '.repeat(Math.max(0, this.#listDepth - 1));
    if (parent?.nextNumber === undefined) return `${indent}- `;
    return `${indent}${parent.nextNumber++}. `;
  }

  #inCell(): boolean {
    return this.#tables.at(-1)?.inCell ?? false;
  }

  #setInCell(inCell: boolean): void {
    const table = this.#tables.at(-1);
    if (table) table.inCell = inCell;
  }

  #beginRow(): void {
    this.#setInCell(false);
    this.#tables.at(-1)?.spans.startRow();
  }

  #beginList(element: OpenElement, attributes: Attributes): void {
    this.#listDepth++;
    if (element.name === 'ol') element.nextNumber = Number.parseInt(attributes['start'] ?? '1', 10) || 1;
  }

  #beginCell(cell: OpenElement, attributes: Attributes, row: OpenElement | undefined): void {
    if (row?.name !== 'tr') return;
    const spans = this.#tables.at(-1)?.spans;
    const taken = spans?.skipTaken() ?? 0;
    this.#separate(row.hasCell ? taken + 1 : taken);
    cell.following = spans?.place(attributes['colspan'], attributes['rowspan']) ?? 0;
    row.hasCell = true;
    this.#setInCell(true);
  }

  #endCell(cell: OpenElement): void {
    this.#separate(cell.following);
    this.#setInCell(false);
  }

  #separate(times: number): void {
    for (let index = 0; index < times; index++) {
      this.#writer.space();
      this.#writer.mark('|');
      this.#writer.space();
    }
  }

  #beginLink(element: OpenElement, attributes: Attributes): void {
    const href = attributes['href'] ?? '';
    const isElsewhere = href !== '' && !href.startsWith('#') && this.#linkCharacters < mostLinkCharacters;
    element.href = isElsewhere ? httpUrl(href, this.#base)?.href : undefined;
    this.#linkCharacters += element.href?.length ?? 0;
    this.#link = element;
  }

  #endLink(element: OpenElement): void {
    this.#link = undefined;
    const said = element.linkText.trim();
    if (element.href === undefined || said === '' || said === element.href) return;
    this.#writer.space();
    this.#writer.mark(`(${element.href})`);
  }

  #image(attributes: Attributes): void {
    this.#write(imageText(attributes['alt'] ?? ''));
  }

  /** Without a mark, ten to the power of two would read as one hundred and two. */
  #beginRaised(mark: string): void {
    if (/[\p{L}\p{N})\]]/u.test(this.#writer.lastCharacter)) this.#pendingMark = mark;
  }
}

function isHeading(name: string): boolean {
  return /^h[1-6]$/.test(name);
}
