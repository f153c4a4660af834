/** Pieces that several sections of the HTML report are made of. */
import type { Comparison, Share } from '../evaluation.ts';
import { shareText } from './figures.ts';
import { findingWords } from './finding-words.ts';
import { type Html, html, type Part } from './html.ts';
import { shownLine } from './shown-text.ts';

/** A part of the page with an anchor. */
export interface Section {
  id: string;
  title: string;
  body: Html;
}

export interface Column {
  label: string;
  /** For whoever does not know the word. */
  about?: string;
  number?: boolean;
}

/** A table that scrolls inside the page. The first cell of a row names it. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Html[])[]): Html {
  const heads = columns.map(
    ({ label, about, number }) =>
      html`<th scope="col"${number ? html` class="number"` : ''}${about ? html` title="${about}"` : ''}>${label}</th>`,
  );
  const body = rows.map((cells) => html`<tr>${cells}</tr>\n`);
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="sticky"><caption>${caption}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
}

export function head(...parts: Part[]): Html {
  return html`<th scope="row">${parts}</th>`;
}

export function cell(...parts: Part[]): Html {
  return html`<td>${parts}</td>`;
}

/** A cell of prose, which needs room. */
export function words(...parts: Part[]): Html {
  return html`<td class="words">${parts}</td>`;
}

/** A figure, with what it counts as a hint. */
export function number(text: string, counted?: string): Html {
  return html`<td class="number"${counted ? html` title="${counted}"` : ''}>${text}</td>`;
}

/** A text that a model, a tool or a data set wrote: isolated, so that its direction of writing stays its own. */
export function said(text: string, most: number): Html {
  return html`<bdi>${shownLine(text, most)}</bdi>`;
}

/** A name of a configuration, a task or a suite. */
export function named(text: string): Html {
  return said(text, 60);
}

/** A share as its text with a drawing of its interval on a line from 0 to 100 %. */
export function shareCell(share: Share): Html {
  const counted = `${share.count} of ${share.of}`;
  if (share.of === 0 || !Number.isFinite(share.rate)) return number(shareText(share), counted);
  const at = (rate: number): string => (rate * 100).toFixed(1);
  return html`<td class="number" title="${counted}"><svg class="glyph" viewBox="-5 0 110 14" preserveAspectRatio="none" aria-hidden="true"><line class="track" x1="0" x2="100" y1="7" y2="7"/><line class="range" x1="${at(share.low)}" x2="${at(share.high)}" y1="7" y2="7"/><rect class="rate" x="${at(share.rate - 0.015)}" width="3" y="0" height="14"/></svg>${shareText(share)}</td>`;
}

const findingClasses: Record<Comparison['finding'], string> = { better: 'good', worse: 'bad', noise: 'noise' };

export function findingMark(finding: Comparison['finding']): Html {
  return html`<span class="${findingClasses[finding]}">${findingWords[finding]}</span>`;
}

/** A chart at two widths, of which the style sheet shows the one that fits. */
export function figure(
  draw: (width: number) => Html,
  widths: readonly [wide: number, narrow: number],
  caption: Part,
): Html {
  const [wide, narrow] = widths;
  return html`<figure><div class="wide">${draw(wide)}</div><div class="narrow">${draw(narrow)}</div><figcaption>${caption}</figcaption></figure>`;
}
