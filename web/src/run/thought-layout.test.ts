import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../api/shapes.ts';
import { placeThoughts, searchPaths } from './thought-layout.ts';

const node = (name: string, parent: string, path = 'search'): RunEvent => ({
  type: 'search.node',
  node: name,
  parent,
  depth: 0,
  state: name,
  value: 1,
  verdict: 'kept',
  id: `${path}:search.node#${name}`,
  run: 'r',
  path,
  at: 0,
  live: true,
});

describe('the picture of a search', () => {
  it('puts a parent in the middle of its children, and what is deeper to the right', () => {
    const { thoughts, columns, rows } = placeThoughts(
      [node('a', ''), node('b', 'a'), node('c', 'a'), node('d', 'c')],
      'search',
    );
    const at = Object.fromEntries(thoughts.map(({ node: name, x, y }) => [name, [x, y]]));
    expect(at).toEqual({ a: [0, 0.5], b: [1, 0], c: [1, 1], d: [2, 1] });
    expect([columns, rows]).toEqual([3, 2]);
  });

  it('keeps searches of other branches apart', () => {
    const events = [node('a', '', 'one'), node('a', '', 'two')];
    expect(searchPaths(events)).toEqual(['one', 'two']);
    expect(placeThoughts(events, 'two').thoughts).toHaveLength(1);
  });

  it('shows each state once and no two in one place, also where a parent is not known', () => {
    const name = fc.nat(15).map(String);
    const states = fc.array(fc.tuple(name, name), { maxLength: 30 }).map((pairs) =>
      // A state is made out of an earlier one.
      pairs.filter(([a, b]) => Number(b) < Number(a)).map(([a, b]) => node(a, b)),
    );
    fc.assert(
      fc.property(states, (events) => {
        const { thoughts } = placeThoughts(events, 'search');
        const names = new Set(events.flatMap((event) => ('node' in event ? [event.node] : [])));
        expect(thoughts.map((thought) => thought.node).sort()).toEqual([...names].sort());
        expect(new Set(thoughts.map(({ x, y }) => `${x} ${y}`)).size).toBe(thoughts.length);
      }),
    );
  });
});
