/** One line that is drawn over while an evaluation runs: a bar, the counts, what was paid, how long it will take. */
import type { ProgressInfo } from '../../evals/runner/progress.ts';
import { cost, count, duration } from '../numbers.ts';
import type { Screen } from '../screen.ts';
import { cut } from '../width.ts';

const eraseLine = '\r\x1b[2K';
const barColumns = 20;
const drawEveryMs = 100;
/** Where a line cannot be drawn over, one is written this often. */
const tellEveryMs = 10_000;

export class EvaluationProgress {
  readonly #screen: Screen;
  #next = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  follow(info: ProgressInfo): void {
    const now = Date.now();
    if (now < this.#next && info.done < info.total) return;
    this.#next = now + (this.#screen.canRedraw ? drawEveryMs : tellEveryMs);
    const line = cut(progressLine(info), this.#screen.columns - 1);
    if (this.#screen.canRedraw) this.#screen.draw(`${eraseLine}${line}`);
    else this.#screen.note(line);
  }

  /** Removes the line, so that something else can be written. */
  clear(): void {
    if (this.#screen.canRedraw) this.#screen.draw(eraseLine);
  }
}

/** `[████░░░░] 812 of 1,920 · 571 right · $0.42 · 40 s left · +plan`. */
export function progressLine({ done, total, successes, broken, spent, etaMs, configuration }: ProgressInfo): string {
  const full = Math.round((done / Math.max(1, total)) * barColumns);
  return [
    `[${'█'.repeat(full)}${'░'.repeat(barColumns - full)}] ${count(done)} of ${count(total)}`,
    `${count(successes)} right`,
    ...(broken > 0 ? [`${count(broken)} broken`] : []),
    cost(spent),
    ...(etaMs === undefined || done === total ? [] : [`${duration(etaMs)} left`]),
    configuration,
  ].join(' · ');
}
