import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');

/** The colours of a theme by name. */
function coloursOf(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? '';
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name ?? '', colour ?? '']),
  );
}

/** Relative luminance and contrast as WCAG 2.2 defines them. */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const grounds = ['ground', 'ground-raised', 'ground-sunk'];
const text = 4.5;
/** Edges of fields, and shapes that carry a meaning. */
const shape = 3;

const pairs: [front: string, back: string, least: number][] = [
  ...['text', 'text-quiet', 'link', 'accent', 'good', 'bad', 'warn'].flatMap((front) =>
    grounds.map((back): [string, string, number] => [front, back, text]),
  ),
  ...['accent', 'good', 'bad', 'warn'].flatMap((tone): [string, string, number][] => [
    [tone, `${tone}-ground`, text],
    ['text', `${tone}-ground`, text],
    ['text-quiet', `${tone}-ground`, text],
  ]),
  ['accent-text', 'accent', text],
  ['mark-text', 'mark-ground', text],
  ...grounds.map((back): [string, string, number] => ['line-strong', back, shape]),
];

describe.each([
  ['light', ':root'],
  ['dark', ':root[data-theme="dark"]'],
])('the %s theme', (_, selector) => {
  const colours = coloursOf(selector);

  it.each(pairs)('shows %s on %s with a contrast of at least %d', (front, back, least) => {
    const [one, other] = [colours.get(front), colours.get(back)];
    if (one === undefined || other === undefined) throw new Error(`the theme has no ${front} or no ${back}`);
    expect(contrast(one, other)).toBeGreaterThanOrEqual(least);
  });
});
