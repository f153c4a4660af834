import type { RunEvent } from './shapes.ts';

/** They come out of a running step: no replay repeats them, and their numbers begin anew in each process of the server. */
const passing: ReadonlySet<RunEvent['type']> = new Set(['model.delta', 'model.start', 'model.retry']);

/** The events of one run as they came, each once, however often streams begin again. What a model said goes when its reply is there. */
export class EventLog {
  readonly #known = new Set<string>();
  /** Paths on which a model is speaking. */
  readonly #speaking = new Set<string>();
  #events: readonly RunEvent[] = [];

  /** A new list with every change, and the same one without. */
  get events(): readonly RunEvent[] {
    return this.#events;
  }

  add(events: readonly RunEvent[]): void {
    const fresh = events.filter((event) => this.#isFresh(event));
    if (fresh.length === 0) return;
    let hasReply = false;
    for (const { type, path } of fresh) {
      if (type === 'model.delta') this.#speaking.add(path);
      else if (type === 'model.call' && this.#speaking.delete(path)) hasReply = true;
    }
    const all = [...this.#events, ...fresh];
    this.#events = hasReply ? withoutSaid(all) : all;
  }

  #isFresh({ id, type }: RunEvent): boolean {
    if (passing.has(type)) return true;
    const before = this.#known.size;
    return this.#known.add(id).size > before;
  }
}

/** The events without the pieces of replies that are there by now. */
function withoutSaid(events: readonly RunEvent[]): RunEvent[] {
  const lastReply = new Map<string, number>();
  for (const [place, { type, path }] of events.entries()) if (type === 'model.call') lastReply.set(path, place);
  return events.filter(({ type, path }, place) => type !== 'model.delta' || place > (lastReply.get(path) ?? -1));
}
