/** The events of a run as a tree of what happened: pure, so that it can be tested without a browser. */
import type { RunEvent } from '../api/shapes.ts';

/** One line of the timeline. Events that belong together are one entry. */
export interface Entry {
  id: string;
  path: string;
  /** The event that began it. */
  event: RunEvent;
  /** The event that ended it: a result to its call, a decision to its question, the reply to its request. */
  end?: RunEvent | undefined;
  /** What a model has said so far, while it speaks. */
  spoken?: string | undefined;
}

/** A path of its own: a trial, a sample, a branch. */
export interface Group {
  id: string;
  path: string;
  children: (Entry | Group)[];
}

export function isGroup(node: Entry | Group): node is Group {
  return 'children' in node;
}

/** What follows an event of the first kind and makes one entry with it. */
const pairs: readonly [begin: RunEvent['type'], end: RunEvent['type'], same: (event: RunEvent) => string][] = [
  ['tool.call', 'tool.result', (event) => ('observation' in event ? event.observation : '')],
  ['model.start', 'model.call', (event) => ('step' in event ? event.step : '')],
  ['approval.requested', 'approval.decided', (event) => ('signal' in event ? event.signal : '')],
];

const begins = new Map(pairs.map(([begin, , same]) => [begin, same]));
const ends = new Map(pairs.map(([begin, end, same]) => [end, { begin, same }]));

/** The tree of the events, in the order in which each thing began. */
export function timelineOf(events: readonly RunEvent[]): Group {
  const root: Group = { id: 'group:', path: '', children: [] };
  const builder = new Builder(root);
  for (const event of events) builder.add(event);
  return root;
}

class Builder {
  readonly #groups: Map<string, Group>;
  readonly #open = new Map<string, Entry>();
  readonly #speaking = new Map<string, Entry>();

  constructor(root: Group) {
    this.#groups = new Map([['', root]]);
  }

  add(event: RunEvent): void {
    if (event.type === 'model.delta') this.#speak(event);
    else this.#note(event);
  }

  #note(event: RunEvent): void {
    const closes = ends.get(event.type);
    const key = closes && `${event.path}|${closes.begin}|${closes.same(event)}`;
    const begun = key === undefined ? undefined : this.#open.get(key);
    if (begun && key !== undefined) {
      this.#open.delete(key);
      begun.end = event;
      if (this.#speaking.get(event.path) === begun) this.#speaking.delete(event.path);
      return;
    }
    const entry: Entry = { id: event.id, path: event.path, event };
    this.#groupOf(event.path).children.push(entry);
    const same = begins.get(event.type);
    if (same) this.#open.set(`${event.path}|${event.type}|${same(event)}`, entry);
    if (event.type === 'model.start') this.#speaking.set(event.path, entry);
  }

  #speak(event: Extract<RunEvent, { type: 'model.delta' }>): void {
    const entry = this.#speaking.get(event.path);
    if (entry) entry.spoken = `${entry.spoken ?? ''}${event.text}`;
  }

  #groupOf(path: string): Group {
    const known = this.#groups.get(path);
    if (known) return known;
    const cut = path.lastIndexOf('/');
    const parent = this.#groupOf(cut < 0 ? '' : path.slice(0, cut));
    const made: Group = { id: `group:${path}`, path, children: [] };
    parent.children.push(made);
    this.#groups.set(path, made);
    return made;
  }
}

/** A line on the screen: an entry, or the head of a group. */
export interface Line {
  node: Entry | Group;
  depth: number;
}

/** The lines that are seen when the given groups are collapsed. */
export function linesOf(root: Group, collapsed: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  const walk = (group: Group, depth: number): void => {
    for (const node of group.children) {
      lines.push({ node, depth });
      if (isGroup(node) && !collapsed.has(node.id)) walk(node, depth + 1);
    }
  };
  walk(root, 0);
  return lines;
}

/** Ids of all groups below. */
export function groupIds(root: Group): string[] {
  return root.children.filter(isGroup).flatMap((group) => [group.id, ...groupIds(group)]);
}

/** The name of a path's last part as people say it: `trial-2` is `trial 2`, the branches of `samples` count from 1. */
export function groupName(path: string): string {
  const parts = path.split('/');
  const last = parts.at(-1) ?? '';
  if (/^\d+$/.test(last)) return `${Number(last) + 1}`;
  return last.replace(/-(\d+)$/, ' $1').replaceAll('.', ' · ');
}
