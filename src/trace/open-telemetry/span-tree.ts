/**
 * The spans of one run that are open: its root, one for each place (`trial-1`, `samples/0`), and in each place at most one phase.
 *
 * 1. An event opens what it belongs to and ends what it leaves behind. The same events, live or replayed, make the same tree.
 * 2. A span is written by the process that saw the event which ended it live; a replay of that event drops the span.
 * 3. A span ends with the last thing seen in it, and never begins before its parent.
 */
import type { Attributes } from '@opentelemetry/api';
import type { RunEvent } from '../../core/event.ts';
import { endsPhase, isBeside, isLeft, isVerifying, nameOfPlace, type Phase, phaseOf, placesOf } from './places.ts';
import type { OpenSpan, SpanWriter } from './span-writer.ts';

/** A place and the phase that is open in it. */
interface Place extends OpenSpan {
  readonly path: string;
  /** Whether it is a part of a verification: phases in it are that one. */
  readonly verifying: boolean;
  phase: { kind: Phase; open: OpenSpan } | undefined;
}

export class SpanTree {
  readonly root: Place;
  readonly #writer: SpanWriter;
  readonly #attributesOf: (kind: Phase | 'place', path: string) => Attributes;
  /** Open places but the root, outer before inner. */
  readonly #places = new Map<string, Place>();
  readonly #opened = new Map<string, number>();

  constructor(
    root: { name: string; at: number; attributes: Attributes },
    to: { writer: SpanWriter; attributesOf(kind: Phase | 'place', path: string): Attributes },
  ) {
    this.#writer = to.writer;
    this.#attributesOf = to.attributesOf;
    const { name, at, attributes } = root;
    const node = { key: 'run', name, parent: undefined, startMs: at, endMs: at, attributes, events: [] };
    this.root = { ...node, path: '', verifying: false, phase: undefined };
  }

  /** The innermost span that the event belongs to. `from` is when the work it tells of began. */
  enter(event: RunEvent, from: number): OpenSpan {
    const place = isBeside(event) ? this.#placeOf(event) : this.#goTo(event, from);
    const innermost = place.phase?.open ?? place;
    for (let open: OpenSpan | undefined = innermost; open; open = open.parent)
      open.endMs = Math.max(open.endMs, event.at);
    return innermost;
  }

  /** Ends the phase that the event was the last of. */
  settle(event: RunEvent): void {
    const place = this.#placeOf(event);
    if (place.phase && endsPhase(event, place.phase.kind)) this.#endPhase(place, event.live);
  }

  /** The span of the place of an event, whatever phase it is in. */
  placeOf(event: RunEvent): OpenSpan {
    return this.#placeOf(event);
  }

  /** Ends everything, the root with `failed` as its status where it is given. */
  end(live: boolean, failed?: string): void {
    this.#endPlaces(live, () => true);
    this.#endPhase(this.root, live);
    if (live || this.root.span) this.#writer.end(this.root, failed);
  }

  /** The innermost open place around the event. */
  #placeOf({ path }: RunEvent): Place {
    for (const place of placesOf(path).reverse()) {
      const open = this.#places.get(place);
      if (open) return open;
    }
    return this.root;
  }

  #goTo(event: RunEvent, from: number): Place {
    const { path, live } = event;
    if (this.#places.size > 0) this.#endPlaces(live, (open) => isLeft(open.path, path));
    let place = this.root;
    for (const inner of placesOf(path)) {
      const name = nameOfPlace(inner, place.path);
      this.#turnTo(phaseAround(name, place), place, { event, from });
      place = this.#places.get(inner) ?? this.#openPlace(inner, name, { outer: place, from });
    }
    if (!place.verifying) this.#turnTo(phaseOf(event, place.phase?.kind), place, { event, from });
    return place;
  }

  /** Inner places end before outer ones. */
  #endPlaces(live: boolean, isOver: (place: Place) => boolean): void {
    for (const place of [...this.#places.values()].reverse()) {
      if (!isOver(place)) continue;
      this.#endPhase(place, live);
      this.#close(place, live);
      this.#places.delete(place.path);
    }
  }

  #turnTo(phase: Phase | undefined, place: Place, { event, from }: { event: RunEvent; from: number }): void {
    const again = event.type === 'refine.made' && event.path === place.path;
    if (place.phase?.kind === phase && !again) return;
    this.#endPhase(place, event.live);
    if (!phase) return;
    // A verification by code alone tells nothing before its report: it began with what came before.
    const began = event.type === 'verify.report' ? place.endMs : from;
    const key = this.#keyOf(`${place.key} ${phase}`);
    const attributes = this.#attributesOf(phase, place.path);
    place.phase = { kind: phase, open: opened({ key, name: phase, parent: place, from: began, attributes }) };
  }

  #endPhase(place: Place, live: boolean): void {
    if (!place.phase) return;
    this.#close(place.phase.open, live);
    place.phase = undefined;
  }

  #openPlace(path: string, name: string, { outer, from }: { outer: Place; from: number }): Place {
    const parent = outer.phase?.open ?? outer;
    const key = this.#keyOf(path);
    const open = opened({ key, name, parent, from, attributes: this.#attributesOf('place', path) });
    const place: Place = { ...open, path, verifying: outer.verifying || isVerifying(name), phase: undefined };
    this.#places.set(path, place);
    return place;
  }

  #close(open: OpenSpan, live: boolean): void {
    if (live || open.span) this.#writer.end(open);
  }

  /** Each time something is opened anew it has a key of its own. */
  #keyOf(what: string): string {
    const count = (this.#opened.get(what) ?? 0) + 1;
    this.#opened.set(what, count);
    return count === 1 ? what : `${what}~${count}`;
  }
}

/** The phase of a place while there is work at the place `name` inside of it. */
function phaseAround(name: string, place: Place): Phase | undefined {
  if (place.verifying) return undefined;
  if (isVerifying(name)) return 'verify';
  return place.phase?.kind === 'refine' ? 'refine' : undefined;
}

function opened(made: { key: string; name: string; parent: OpenSpan; from: number; attributes: Attributes }): OpenSpan {
  const { from, ...rest } = made;
  const startMs = Math.max(from, made.parent.startMs);
  return { ...rest, startMs, endMs: startMs, events: [] };
}
