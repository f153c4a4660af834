import TurndownService from 'turndown';
import { withoutImages } from './html-meaning.ts';
import type { PageElement } from './page-dom.ts';

/**
 * The Markdown of a prepared element (see `prepareDocument`). Emphasis and escapes are left out and links are `text (url)`: a quote
 * of the page's words stands in the text as it is.
 */
export function markdownOf(content: unknown): string {
  const service = new TurndownService({ headingStyle: 'atx', bulletListMarker: '-', hr: '---', br: '' });
  service.escape = (text) => text;
  const names = (...list: string[]): TurndownService.FilterFunction => {
    const set = new Set(list.map((name) => name.toUpperCase()));
    return (node) => set.has(elementOf(node).nodeName);
  };
  service.addRule('plain', { filter: names('em', 'i', 'strong', 'b', 'code'), replacement: (text) => text });
  service.addRule('struck', { filter: names('del', 's', 'strike'), replacement: (text) => `~~${text}~~` });
  service.addRule('blocks', {
    filter: names('summary', 'details', 'legend', 'caption', 'option', 'dialog'),
    replacement: (text) => `\n\n${text}\n\n`,
  });
  service.addRule('code', { filter: names('pre'), replacement: fenced });
  service.addRule('link', { filter: names('a'), replacement: (text, node) => linked(text, elementOf(node)) });
  service.addRule('sections', { filter: names('thead', 'tbody', 'tfoot'), replacement: (text) => text });
  service.addRule('columns', { filter: names('colgroup', 'col'), replacement: () => '' });
  service.addRule('cell', { filter: names('td', 'th'), replacement: (text, node) => cellOf(text, elementOf(node)) });
  service.addRule('row', { filter: names('tr'), replacement: (text, node) => rowOf(text, elementOf(node)) });
  service.addRule('table', { filter: names('table'), replacement: (text, node) => tableOf(text, elementOf(node)) });
  // Its types are those of a browser's DOM, which this program does not have.
  return withoutImages(service.turndown(content as TurndownService.Node));
}

function elementOf(node: unknown): PageElement {
  // The only DOM that is given to the service is ours.
  return node as PageElement;
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map((run) => run[1]?.length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}\n${text.replace(/^\n|\n$/g, '')}\n${fence}\n\n`;
}

function linked(text: string, link: PageElement): string {
  const href = link.getAttribute('href');
  const said = text.trim();
  return href === null || said === '' || said === href ? text : `${text.trimEnd()} (${href})`;
}

const layouts = new WeakMap<PageElement, boolean>();

/** A table in which tables stand is a layout, not a table of values. */
function isLayout(element: PageElement): boolean {
  const table = element.nodeName === 'TABLE' ? element : element.closest('table');
  if (!table) return false;
  // To look for a table in each cell's table anew would cost the square of the table's size.
  const known = layouts.get(table) ?? table.querySelector('table') !== null;
  layouts.set(table, known);
  return known;
}

function cellOf(text: string, cell: PageElement): string {
  if (isLayout(cell)) return `\n\n${text}\n\n`;
  const value = text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');
  return value === '' ? '| ' : `| ${value} `;
}

function rowOf(text: string, row: PageElement): string {
  return isLayout(row) || text.trim() === '' ? text : `\n${text.trim()} |\n`;
}

function tableOf(text: string, table: PageElement): string {
  if (isLayout(table)) return `\n\n${text}\n\n`;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [head = '', ...rows] = lines.filter((line) => line.startsWith('|'));
  const besides = lines.filter((line) => !line.startsWith('|'));
  const columns = [head, ...rows].reduce((most, row) => Math.max(most, columnsOf(row)), 0);
  return `\n\n${besides.join('\n\n')}\n\n${[head, `|${' --- |'.repeat(columns)}`, ...rows].join('\n')}\n\n`;
}

function columnsOf(row: string): number {
  return (row.match(/(?<!\\)\|/g)?.length ?? 1) - 1;
}
