/** Builds HTML in which a text can never become markup. */
import { shownText } from './shown-text.ts';

/** Markup that is known to be safe: only `html` and `trusted` make it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | undefined | readonly Part[];

/** A template of markup. Strings put into it are escaped and their hidden characters shown; it fits element content and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(
    strings.map((string, index) => string + (index < parts.length ? markupOf(parts[index]) : '')).join(''),
  );
}

/** Markup of our own making, such as a drawn chart. Never call it with a text from outside. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function markupOf(part: Part): string {
  if (part instanceof Html) return part.markup;
  if (part === undefined) return '';
  if (typeof part === 'object') return part.map(markupOf).join('');
  return escapeMarkup(shownText(String(part)));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The text for element content and quoted attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
