/** One line that is drawn over while something is awaited: what it is, for how long, how much text has come. */
import type { RunEvent } from '../core/event.ts';
import { count, duration } from './numbers.ts';
import type { Screen } from './screen.ts';
import { cut } from './width.ts';

interface Waiting {
  key: string;
  label: string;
  since: number;
  /** Characters streamed so far. */
  chars: number;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
const eraseLine = '\r\x1b[2K';

export class Progress {
  readonly #screen: Screen;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Takes in an event that begins, feeds or ends a wait. */
  follow(event: RunEvent): void {
    switch (event.type) {
      case 'model.start':
        this.#begin(`${event.path}:${event.step}`, `${event.role} is thinking`);
        break;
      case 'model.delta':
        this.#feed(event.path, event.text.length);
        break;
      case 'model.call':
        this.#end(`${event.path}:${event.step}`);
        break;
      case 'tool.call':
        this.#begin(`${event.path}:${event.observation}`, `${event.tool} is running`);
        break;
      case 'tool.result':
        this.#end(`${event.path}:${event.observation}`);
        break;
      case 'approval.requested':
      case 'run.end':
        this.stop();
        break;
      default:
    }
  }

  /** Removes the line, so that something else can be written. */
  clear(): void {
    if (this.#timer) this.#screen.draw(eraseLine);
  }

  stop(): void {
    this.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#waiting.length = 0;
  }

  #begin(key: string, label: string): void {
    if (!this.#screen.canRedraw) return;
    this.#waiting.push({ key, label, since: Date.now(), chars: 0 });
    this.#timer ??= setInterval(() => this.#draw(), frameMs).unref();
  }

  #feed(path: string, chars: number): void {
    const fed = this.#waiting.findLast((waiting) => waiting.key.startsWith(`${path}:`));
    if (fed) fed.chars += chars;
  }

  #end(key: string): void {
    const index = this.#waiting.findIndex((waiting) => waiting.key === key);
    if (index >= 0) this.#waiting.splice(index, 1);
    if (this.#waiting.length === 0) this.stop();
  }

  #draw(): void {
    const last = this.#waiting.at(-1);
    if (!last) return;
    this.#frame = (this.#frame + 1) % frames.length;
    const others = this.#waiting.length > 1 ? ` (and ${count(this.#waiting.length - 1)} more)` : '';
    const chars = this.#waiting.reduce((sum, waiting) => sum + waiting.chars, 0);
    const text = chars > 0 ? `, ${count(chars)} characters` : '';
    const line = `${frames[this.#frame]} ${last.label}${others}, ${duration(Date.now() - last.since)}${text}`;
    this.#screen.draw(`${eraseLine}${this.#screen.style.dim(cut(line, this.#screen.columns - 1))}`);
  }
}
