import type { RunEvent } from '../api/shapes.ts';

type NodeEvent = Extract<RunEvent, { type: 'search.node' }>;

/** A state of a search, placed: `x` in columns and `y` in rows. */
export interface Thought {
  node: string;
  /** Undefined for a state that the root led to; the root itself is the task. */
  parent: Thought | undefined;
  state: string;
  /** What it adds to the state it was made of, in a line. */
  news: string;
  value: number;
  verdict: NodeEvent['verdict'];
  /** Whether it lies on the way to the best state. */
  isBest: boolean;
  x: number;
  y: number;
}

export interface Placed {
  thoughts: Thought[];
  columns: number;
  rows: number;
  /** States that were visited, shown or not. */
  visited: number;
}

export interface PlaceOptions {
  path: string;
  /** Leave out what was pruned and what had been there before. */
  onlyKept: boolean;
}

/** The states of one search as a tree: depth goes to the right, and a parent stands in the middle of its children. */
export function placeThoughts(events: readonly RunEvent[], { path, onlyKept }: PlaceOptions): Placed {
  const all = nodesOf(events, path);
  const best = wayToBest(all, events, path);
  const shown = [...all.values()].filter(
    ({ node, verdict }) => !onlyKept || best.has(node) || verdict === 'kept' || verdict === 'solution',
  );
  const names = new Set(shown.map(({ node }) => node));
  const children = Map.groupBy(shown, ({ parent, node }) => (names.has(parent) && parent !== node ? parent : ''));
  const thoughts: Thought[] = [];
  let rows = 0;
  const place = (event: NodeEvent, x: number, parent: Thought | undefined): Thought => {
    const { node, state, value, verdict } = event;
    const news = newsOf(state, parent?.state ?? '');
    const thought: Thought = { node, parent, state, news, value, verdict, isBest: best.has(node), x, y: 0 };
    thoughts.push(thought);
    const below = (children.get(node) ?? []).map((child) => place(child, x + 1, thought).y);
    thought.y = below.length === 0 ? rows++ : ((below[0] ?? 0) + (below.at(-1) ?? 0)) / 2;
    return thought;
  };
  for (const top of children.get('') ?? []) place(top, 0, undefined);
  return { thoughts, columns: 1 + Math.max(0, ...thoughts.map(({ x }) => x)), rows, visited: all.size };
}

/** The paths on which something was searched. */
export function searchPaths(events: readonly RunEvent[]): string[] {
  return [...new Set(events.flatMap(({ type, path }) => (type === 'search.node' ? [path] : [])))];
}

function nodesOf(events: readonly RunEvent[], path: string): Map<string, NodeEvent> {
  const found = new Map<string, NodeEvent>();
  for (const event of events) if (event.type === 'search.node' && event.path === path) found.set(event.node, event);
  return found;
}

/** The states from the root to the solution, else to what the end of the search calls the best. */
function wayToBest(all: ReadonlyMap<string, NodeEvent>, events: readonly RunEvent[], path: string): Set<string> {
  const end = events.findLast((event) => event.type === 'search.end' && event.path === path);
  const states = [...all.values()];
  let at =
    states.find(({ verdict }) => verdict === 'solution') ??
    (end?.type === 'search.end' ? states.find(({ state }) => state === end.best) : undefined);
  const way = new Set<string>();
  while (at && !way.has(at.node)) {
    way.add(at.node);
    at = all.get(at.parent);
  }
  return way;
}

/** The first line that the parent's state does not have at its place; of equal ones the last. */
function newsOf(state: string, before: string): string {
  const lines = state.split('\n').filter((line) => line.trim() !== '');
  const old = before.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line, place) => line !== old[place]) ?? lines.at(-1) ?? '';
}
