import { sizeText } from '../../model/local/bytes.ts';
import type { DownloadProgress } from '../../model/local/download.ts';
import { cleanLine } from '../clean.ts';
import { duration } from '../numbers.ts';
import type { Screen } from '../screen.ts';
import { cut } from '../width.ts';

/** Milliseconds between two lines where a line cannot be drawn over. */
const plainMs = 10_000;
const drawnMs = 200;
const secondMs = 1_000;
/** The rate is that of the last seconds: a connection that was tried again says nothing of the one that is open. */
const rateOverMs = 10_000;
const barColumns = 20;
const eraseLine = '\r\u001b[2K';

/** How far a download is: one line that is drawn over, or one line now and then where that cannot be. */
export class DownloadLine {
  readonly #name: string;
  readonly #screen: Screen;
  readonly #seen: { at: number; done: number }[] = [];
  #shown = 0;
  /** What stands on the line that is drawn over. */
  #drawn: string | undefined;

  constructor(name: string, screen: Screen) {
    this.#name = name;
    this.#screen = screen;
  }

  show({ done, total }: DownloadProgress): void {
    const at = Date.now();
    const isFirst = this.#seen.length === 0;
    // Less than before: it begins anew.
    if (done < (this.#seen.at(-1)?.done ?? 0)) this.#seen.length = 0;
    const isDue = at - this.#shown >= (this.#screen.canRedraw ? drawnMs : plainMs);
    if (!isDue && !isFirst && done !== total) return;
    this.#shown = at;
    this.#seen.push({ at, done });
    while (this.#seen.length > 2 && at - (this.#seen[0]?.at ?? at) > rateOverMs) this.#seen.shift();
    const text = progressText({ done, total, bytesPerSecond: this.#rate() });
    if (!this.#screen.canRedraw) this.#screen.note(`${this.#name}  ${text}`);
    else this.#draw(`${bar(done, total)}${text}`, done === total ? ', checking it' : '');
  }

  /** A line of its own; the drawn one goes on below it. */
  say(text: string): void {
    const line = cleanLine(text);
    this.#screen.note(this.#drawn === undefined ? line : `${eraseLine}${line}`);
  }

  end(): void {
    if (this.#drawn === undefined) return;
    this.#draw(this.#drawn);
    this.#screen.draw('\n');
  }

  #draw(text: string, more = ''): void {
    this.#drawn = text;
    this.#screen.draw(eraseLine + cut(`${text}${more}  ${this.#name}`, this.#screen.columns - 1));
  }

  #rate(): number | undefined {
    const [first] = this.#seen;
    const last = this.#seen.at(-1);
    if (!first || !last || last.at === first.at) return undefined;
    return ((last.done - first.done) * secondMs) / (last.at - first.at);
  }
}

function bar(done: number, total: number | undefined): string {
  if (!total) return '';
  const filled = Math.floor((barColumns * Math.min(done, total)) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(barColumns - filled)}] `;
}

/** `48 %, 1.2 GB of 2.5 GB, 11 MB/s, 2 min 3 s left`. A rate of less than a byte a second is none. */
export function progressText(seen: DownloadProgress & { bytesPerSecond: number | undefined }): string {
  const { done, total, bytesPerSecond = 0 } = seen;
  const moves = bytesPerSecond >= 1;
  return [
    ...(total ? [`${Math.floor((100 * done) / total)} %`] : []),
    `${sizeText(done)}${total ? ` of ${sizeText(total)}` : ''}`,
    ...(moves ? [`${sizeText(bytesPerSecond)}/s`] : []),
    ...(moves && total && done < total ? [`${leftText((total - done) / bytesPerSecond)} left`] : []),
  ].join(', ');
}

function leftText(seconds: number): string {
  return seconds < 60 ? `${Math.ceil(seconds)} s` : duration(seconds * secondMs);
}

/** What is waited for and for how long, drawn over; one line for each thing where that cannot be. */
export class WaitingLine {
  readonly #screen: Screen;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  begin(text: string): void {
    this.end();
    if (!this.#screen.canRedraw) {
      this.#screen.note(text);
      return;
    }
    const began = Date.now();
    const draw = (): void => {
      const seconds = Math.round((Date.now() - began) / secondMs);
      this.#screen.draw(eraseLine + cut(`${text}${seconds > 0 ? ` ${seconds} s` : ''}`, this.#screen.columns - 1));
    };
    draw();
    this.#timer = setInterval(draw, secondMs);
  }

  end(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#screen.draw('\n');
  }
}
