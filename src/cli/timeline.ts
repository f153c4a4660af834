/**
 * The live view of a run on stderr.
 *
 * 1. It knows events and nothing else.
 * 2. A fact is shown once: what a replay emits again, here or from before a restart, is recognised by its id.
 * 3. Nothing from outside reaches the terminal uncleaned.
 */
import type { RunEvent, Sink } from '../core/event.ts';
import { addUsage } from '../core/usage.ts';
import { cleanLine } from './clean.ts';
import { Progress } from './progress.ts';
import type { Row } from './row.ts';
import type { Screen } from './screen.ts';
import { rowsOf } from './timeline-rows.ts';
import { cut, pad, wrap } from './width.ts';

const labelColumns = 10;

/** They come out of a running step: no replay repeats them, and their numbers begin anew in each process. */
const passing: ReadonlySet<RunEvent['type']> = new Set(['model.delta', 'model.start', 'model.retry']);

export interface TimelineOptions {
  screen: Screen;
  /** Ids of events that were shown before, by an earlier process. */
  shown?: ReadonlySet<string>;
}

export class Timeline implements Sink {
  readonly name = 'terminal';
  readonly #screen: Screen;
  readonly #progress: Progress;
  readonly #shown: Set<string>;
  #answers: Extract<RunEvent, { type: 'model.call' }> | undefined;
  #turn = 0;
  /** The tool that each approval is about. */
  readonly #asked = new Map<string, string>();

  constructor(options: TimelineOptions) {
    this.#screen = options.screen;
    this.#progress = new Progress(options.screen);
    this.#shown = new Set(options.shown);
  }

  write(event: RunEvent): void {
    // A replayed turn is not shown, but what comes after it belongs to it.
    if (event.type === 'turn.start') this.#turn = event.turn;
    if (event.type === 'approval.requested') this.#asked.set(event.signal, event.tool);
    const key = shownKey(event);
    if (!passing.has(event.type)) {
      if (this.#shown.has(key)) return;
      this.#shown.add(key);
    }
    this.#progress.clear();
    if (!this.#isToldElsewhere(event)) this.#show(event);
    this.#progress.follow(event);
  }

  /** Ends the progress line; for a run that stops without an event. */
  close(): void {
    this.#progress.stop();
  }

  /** The Result says how the run ended, the agent warns of a failed sink, and whoever is asked sees the call in the question. */
  #isToldElsewhere({ type }: RunEvent): boolean {
    return type === 'run.end' || type === 'sink.failed' || (type === 'approval.requested' && this.#screen.canAsk);
  }

  #show(event: RunEvent): void {
    if (event.type === 'model.call' && event.step === 'answer' && event.outcome === 'reply') {
      // The answers to verification questions are one line, told with the verdict on them.
      this.#answers = this.#answers ? { ...event, usage: addUsage(this.#answers.usage, event.usage) } : event;
      return;
    }
    const told = event.type === 'model.call' && this.#answers;
    const counted = told ? { ...event, usage: addUsage(told.usage, event.usage) } : event;
    if (told) this.#answers = undefined;
    if (event.type === 'run.start')
      this.#screen.note(renderRow({ label: 'run', text: event.run, tone: 'dim' }, this.#screen));
    for (const row of rowsOf(counted)) this.#screen.note(renderRow(this.#labelled(row, event), this.#screen));
  }

  #labelled(row: Row, event: RunEvent): Row {
    if (event.type === 'approval.decided')
      return { ...row, text: `${cleanLine(this.#asked.get(event.signal) ?? '')} ${row.text}`.trim() };
    const isTurn = event.type === 'model.call' && event.step === 'turn' && event.outcome === 'reply';
    const label = isTurn ? `turn ${this.#turn}` : row.label;
    const text = isTurn ? row.text.replace(' (turn)', '') : row.text;
    return { ...row, label, text: isTurn && event.path !== '' ? `${event.path}: ${text}` : text };
  }
}

/** The key under which the timeline knows an event. */
export function shownKey(event: RunEvent): string {
  return `${event.run} ${event.id}`;
}

/** A row as text: the label in its column, the text wrapped or cut beside it. */
export function renderRow(row: Row, screen: Pick<Screen, 'columns' | 'style'>): string {
  const { style } = screen;
  const indent = labelColumns + (row.indent ?? 0);
  const room = screen.columns - indent;
  const lines = row.short ? [cut(row.text, room)] : wrap(row.text, room);
  const mark = row.tone ? style[row.tone] : (text: string): string => text;
  const left = style.cyan(row.label) + ' '.repeat(Math.max(1, labelColumns - row.label.length));
  return lines
    .map((line, index) => (index === 0 ? left + ' '.repeat(row.indent ?? 0) : pad('', indent)) + mark(line))
    .join('\n');
}
