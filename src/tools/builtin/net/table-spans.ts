/** Cells that reach over several columns or rows, for both readers of tables: without them figures stand under the wrong heading. */
import type { PageDocument, PageElement } from './page-dom.ts';

/** More columns than this are not followed. */
const mostColumns = 1_000;
/** As the HTML standard limits them (section 4.9.11), but for columns a nearer limit: each becomes an empty cell. */
const widestSpan = 100;
const highestSpan = 1_000;

/** How many empty cells may still be put into all tables of a page: a short page can ask for very many. */
export interface SpanBudget {
  left: number;
}

export function spanBudget(): SpanBudget {
  return { left: 50_000 };
}

/** Where the cells of a table stand, row by row. */
export class SpanTracker {
  readonly #budget: SpanBudget;
  /** For each column, in how many further rows a cell above reaches into it. */
  readonly #reaching: number[] = [];
  #column = 0;

  constructor(budget: SpanBudget) {
    this.#budget = budget;
  }

  startRow(): void {
    this.#column = 0;
  }

  /** How many columns before the next cell are taken by cells above. */
  skipTaken(): number {
    let taken = 0;
    while (this.#column < mostColumns && (this.#reaching[this.#column] ?? 0) > 0) {
      this.#reaching[this.#column] = (this.#reaching[this.#column] ?? 0) - 1;
      this.#column++;
      taken++;
    }
    return this.#grant(taken);
  }

  /** Places a cell and tells how many empty ones follow it. */
  place(colspan: string | undefined, rowspan: string | undefined): number {
    const width = spanOf(colspan, widestSpan);
    const rows = spanOf(rowspan, highestSpan) - 1;
    const end = Math.min(this.#column + width, mostColumns);
    for (; this.#column < end; this.#column++) this.#reaching[this.#column] = rows;
    return this.#grant(width - 1);
  }

  endRow(): void {
    for (; this.#column < this.#reaching.length; this.#column++) {
      this.#reaching[this.#column] = Math.max(0, (this.#reaching[this.#column] ?? 0) - 1);
    }
  }

  #grant(wanted: number): number {
    const granted = Math.min(wanted, this.#budget.left);
    this.#budget.left -= granted;
    return granted;
  }
}

function spanOf(attribute: string | undefined, most: number): number {
  return Math.min(most, Math.max(1, Number.parseInt(attribute ?? '1', 10) || 1));
}

/** Puts empty cells where cells of the table reach to, and takes the spans away. */
export function expandSpans(table: PageElement, document: PageDocument, budget: SpanBudget): void {
  if (!table.querySelector('[colspan],[rowspan]')) return;
  const tracker = new SpanTracker(budget);
  for (const row of [...table.querySelectorAll('tr')]) {
    if (row.closest('table') !== table) continue;
    tracker.startRow();
    for (const cell of [...row.children]) {
      const emptyCells = (count: number): PageElement[] =>
        Array.from({ length: count }, () => document.createElement('td'));
      cell.before(...emptyCells(tracker.skipTaken()));
      const following = tracker.place(
        cell.getAttribute('colspan') ?? undefined,
        cell.getAttribute('rowspan') ?? undefined,
      );
      cell.after(...emptyCells(following));
      cell.removeAttribute('colspan');
      cell.removeAttribute('rowspan');
    }
    tracker.endRow();
  }
}
