import type { RunEvent } from '../api/shapes.ts';

type NodeEvent = Extract<RunEvent, { type: 'search.node' }>;

/** A state of a search, placed: `x` in columns and `y` in rows. */
export interface Thought {
  node: string;
  parent: string;
  state: string;
  value: number;
  verdict: NodeEvent['verdict'];
  x: number;
  y: number;
}

export interface Placed {
  thoughts: Thought[];
  columns: number;
  rows: number;
}

/** The states of one search as a tree: depth goes to the right, and a parent stands in the middle of its children. */
export function placeThoughts(events: readonly RunEvent[], path: string): Placed {
  const found = new Map<string, NodeEvent>();
  for (const event of events) if (event.type === 'search.node' && event.path === path) found.set(event.node, event);
  const children = Map.groupBy(found.values(), ({ parent, node }) =>
    found.has(parent) && parent !== node ? parent : '',
  );
  const thoughts: Thought[] = [];
  let rows = 0;
  const place = (event: NodeEvent, depth: number): number => {
    const below = (children.get(event.node) ?? []).map((child) => place(child, depth + 1));
    const y = below.length === 0 ? rows++ : ((below[0] ?? 0) + (below.at(-1) ?? 0)) / 2;
    const { node, parent, state, value, verdict } = event;
    thoughts.push({ node, parent, state, value, verdict, x: depth, y });
    return y;
  };
  for (const top of children.get('') ?? []) place(top, 0);
  return { thoughts, columns: 1 + Math.max(0, ...thoughts.map(({ x }) => x)), rows };
}

/** The paths on which something was searched. */
export function searchPaths(events: readonly RunEvent[]): string[] {
  return [...new Set(events.flatMap(({ type, path }) => (type === 'search.node' ? [path] : [])))];
}
