/** A number, or the numbers of a curve in order. */
export type Count = number | readonly number[];

/** One figure in three versions. */
export interface Figure {
  readonly name: string;
  readonly ours: Count;
  /** What METRICS.json says, or what the verdicts beside the rows come to; absent where neither counts anything of the kind. */
  readonly recorded?: Count;
  /** What the authors published, with where. */
  readonly published?: string;
  /** Set by code that has shown why the recorded figure may say something else: with it a difference is no failure. */
  readonly explained?: string;
}

export type Standing = 'same' | 'explained' | 'DIFFERS' | 'not recorded';

/** Counted from the same rows, figures agree to rounding. */
const rounding = 1e-9;

export function standingOf({ ours, recorded, explained }: Figure): Standing {
  if (recorded === undefined) return 'not recorded';
  if (agree(ours, recorded)) return 'same';
  return explained === undefined ? 'DIFFERS' : 'explained';
}

function agree(ours: Count, theirs: Count): boolean {
  const [a, b] = [[ours].flat(), [theirs].flat()];
  return a.length === b.length && a.every((value, at) => Math.abs(value - (b[at] ?? Number.NaN)) < rounding);
}

/** The columns of a figure for a table. */
export function figureRow(figure: Figure): string[] {
  const { name, ours, recorded, published = '-' } = figure;
  return [name, shown(ours), recorded === undefined ? '-' : shown(recorded), published, standingOf(figure)];
}

export const figureHeading: string[] = ['figure', 'ours', 'recorded', 'published', ''];

function shown(count: Count): string {
  return [count]
    .flat()
    .map((value) => String(Math.round(value * 1e4) / 1e4))
    .join(' ');
}
