import type { RunView } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { count, duration, money } from '../parts/amounts.ts';

/** A figure of two runs. `ratio` is the second over the first, where that says something. */
export interface ComparedFigure {
  name: string;
  left: string;
  right: string;
  ratio: string;
}

const unknown = '–';

/** What two runs took. */
export function comparedFigures(left: RunView, right: RunView, t: Texts): ComparedFigure[] {
  const row = (name: string, read: (run: RunView) => number | undefined, shown: (value: number) => string) => {
    const [a, b] = [read(left), read(right)];
    const said = (value: number | undefined): string => (value === undefined ? unknown : shown(value));
    return { name, left: said(a), right: said(b), ratio: ratioOf(a, b) };
  };
  return [
    row(t.tokensIn, ({ result }) => result?.usage.inputTokens, count),
    row(t.tokensOut, ({ result }) => result?.usage.outputTokens, count),
    row(t.cost, ({ result }) => result?.usage.usd, money),
    row(t.duration, ({ result }) => result?.metrics.activeMs, duration),
    row(t.modelCalls, ({ result }) => result?.usage.modelCalls, count),
    row(t.toolCalls, ({ result }) => result?.usage.toolCalls, count),
    row(t.revisions, ({ result }) => result?.attempt.revisions, count),
  ];
}

function ratioOf(left: number | undefined, right: number | undefined): string {
  if (!left || right === undefined) return unknown;
  const ratio = right / left;
  return `${ratio.toFixed(ratio < 10 && ratio > 0 ? 2 : 0)}×`;
}
