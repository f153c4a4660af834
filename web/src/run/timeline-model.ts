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
  /** Times of the first and the last event in it, groups below included. */
  from: number;
  to: number;
  /** How it came out, for a trial and a sample. */
  outcome?: Extract<RunEvent, { type: 'trial.end' | 'sample.end' }> | undefined;
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
  const root: Group = { id: 'group:', path: '', children: [], from: events[0]?.at ?? 0, to: events[0]?.at ?? 0 };
  const builder = new Builder(root);
  for (const event of events) builder.add(event);
  return root;
}

class Builder {
  readonly #root: Group;
  /** Each path's group and those around it, innermost first. */
  readonly #chains: Map<string, readonly [Group, ...Group[]]>;
  readonly #open = new Map<string, Entry>();
  readonly #speaking = new Map<string, Entry>();

  constructor(root: Group) {
    this.#root = root;
    this.#chains = new Map([['', [root]]]);
  }

  add(event: RunEvent): void {
    const chain = this.#chainOf(event);
    for (const group of chain) group.to = Math.max(group.to, event.at);
    if (event.type === 'trial.end' || event.type === 'sample.end') chain[0].outcome = event;
    if (event.type === 'model.delta') this.#speak(event);
    else if (!this.#closes(event)) this.#begin(event, chain[0]);
    if (event.type === 'run.end') this.#letGo();
  }

  #begin(event: RunEvent, { children }: Group): void {
    const entry: Entry = { id: event.id, path: event.path, event };
    children.push(entry);
    const same = begins.get(event.type);
    if (same) this.#open.set(`${event.path}|${event.type}|${same(event)}`, entry);
    if (event.type === 'model.start') this.#speaking.set(event.path, entry);
  }

  /** Whether it ends an entry that is there. */
  #closes(event: RunEvent): boolean {
    const closes = ends.get(event.type);
    const key = closes && `${event.path}|${closes.begin}|${closes.same(event)}`;
    const begun = key === undefined ? undefined : this.#open.get(key);
    if (!begun || key === undefined) return false;
    this.#open.delete(key);
    begun.end = event;
    if (this.#speaking.get(event.path) === begun) this.#speaking.delete(event.path);
    return true;
  }

  #speak(event: Extract<RunEvent, { type: 'model.delta' }>): void {
    const entry = this.#speaking.get(event.path);
    if (entry) entry.spoken = `${entry.spoken ?? ''}${event.text}`;
  }

  /** A model whose process is gone answers no more. */
  #letGo(): void {
    const gone = new Set([...this.#open.values()].filter(({ event }) => event.type === 'model.start'));
    if (gone.size === 0) return;
    const sweep = (group: Group): void => {
      group.children = group.children.filter((node) => isGroup(node) || !gone.has(node));
      group.children.filter(isGroup).forEach(sweep);
    };
    sweep(this.#root);
  }

  #chainOf({ path, at }: Pick<RunEvent, 'path' | 'at'>): readonly [Group, ...Group[]] {
    const known = this.#chains.get(path);
    if (known) return known;
    const cut = path.lastIndexOf('/');
    const around = this.#chainOf({ path: cut < 0 ? '' : path.slice(0, cut), at });
    const made: Group = { id: `group:${path}`, path, children: [], from: at, to: at };
    around[0].children.push(made);
    const chain = [made, ...around] as const;
    this.#chains.set(path, chain);
    return chain;
  }
}

/** A line on the screen: an entry, or the head of a group. */
export interface Line {
  node: Entry | Group;
  depth: number;
}

/** The lines that are seen when the given groups are collapsed and only some entries are wanted. A group without any is not shown. */
export function linesOf(root: Group, collapsed: ReadonlySet<string>, wanted?: (entry: Entry) => boolean): Line[] {
  const linesIn = (group: Group, depth: number): Line[] =>
    group.children.flatMap((node): Line[] => {
      if (!isGroup(node)) return !wanted || wanted(node) ? [{ node, depth }] : [];
      const inside = linesIn(node, depth + 1);
      if (inside.length === 0) return [];
      return [{ node, depth }, ...(collapsed.has(node.id) ? [] : inside)];
    });
  return linesIn(root, 0);
}

/** Ids of all groups below. */
export function groupIds(root: Group): string[] {
  return root.children.filter(isGroup).flatMap((group) => [group.id, ...groupIds(group)]);
}

/** The number of entries, those of groups below included. */
export function entryCount(group: Group): number {
  return group.children.reduce((sum, node) => sum + (isGroup(node) ? entryCount(node) : 1), 0);
}

/** The name of a path's last part as people say it: `trial-2` is `trial 2`, and the branches of `samples` count from 1. */
export function groupName(path: string): string {
  const parts = path.split('/');
  const last = parts.at(-1) ?? '';
  const name = /^\d+$/.test(last) ? `${parts.at(-2) ?? ''} ${Number(last) + 1}` : last.replace(/-(\d+)$/, ' $1');
  return name.trim().replaceAll('.', ' · ');
}
