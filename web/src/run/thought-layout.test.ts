import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../api/shapes.ts';
import { eventOf } from '../testing/event-of.ts';
import { placeThoughts, searchPaths } from './thought-layout.ts';

const node = (name: string, parent: string, more: { path?: string; state?: string; verdict?: string } = {}): RunEvent =>
  eventOf(more.path ?? '', {
    type: 'search.node',
    node: name,
    parent,
    depth: 1,
    state: name,
    value: 1,
    verdict: 'kept',
    ...more,
  });

const all = { path: '', onlyKept: false };

describe('the picture of a search', () => {
  it('puts a parent in the middle of its children, and what is deeper to the right', () => {
    const { thoughts, columns, rows } = placeThoughts(
      [node('a', ''), node('b', 'a'), node('c', 'a'), node('d', 'c')],
      all,
    );
    const at = Object.fromEntries(thoughts.map(({ node: name, x, y }) => [name, [x, y]]));
    expect(at).toEqual({ a: [0, 0.5], b: [1, 0], c: [1, 1], d: [2, 1] });
    expect([columns, rows]).toEqual([3, 2]);
  });

  it('keeps searches of other branches apart', () => {
    const events = [node('a', '', { path: 'one' }), node('a', '', { path: 'two' })];
    expect(searchPaths(events)).toEqual(['one', 'two']);
    expect(placeThoughts(events, { path: 'two', onlyKept: false }).thoughts).toHaveLength(1);
  });

  it('names a state by the line it adds', () => {
    const events = [
      node('a', '', { state: '4+9 = 13\nleft: 10 13' }),
      node('b', 'a', { state: '4+9 = 13\n10-13 = -3\nleft: -3' }),
    ];
    expect(placeThoughts(events, all).thoughts.map(({ news }) => news)).toEqual(['4+9 = 13', '10-13 = -3']);
  });

  it('marks the way to the solution, else to the best that the search names', () => {
    const events = [node('a', 'root'), node('b', 'a'), node('c', 'a', { state: 'the best' })];
    const end = eventOf('', { type: 'search.end', visited: 3, best: 'the best', value: 1 });
    const best = (more: RunEvent[]): string[] =>
      placeThoughts([...events, ...more], all).thoughts.flatMap(({ isBest, node: name }) => (isBest ? [name] : []));
    expect(best([])).toEqual([]);
    expect(best([end])).toEqual(['a', 'c']);
    expect(best([node('d', 'b', { verdict: 'solution' }), end])).toEqual(['a', 'b', 'd']);
  });

  it('leaves out what was pruned on request, and still counts it', () => {
    const events = [node('a', ''), node('b', 'a', { verdict: 'pruned' }), node('c', '', { verdict: 'duplicate' })];
    const { thoughts, visited } = placeThoughts(events, { path: '', onlyKept: true });
    expect([thoughts.map(({ node: name }) => name), visited]).toEqual([['a'], 3]);
  });

  it('shows each state once and no two in one place, also where a parent is not known', () => {
    const name = fc.nat(15).map(String);
    const states = fc.array(fc.tuple(name, name), { maxLength: 30 }).map((pairs) =>
      // A state is made out of an earlier one.
      pairs.filter(([a, b]) => Number(b) < Number(a)).map(([a, b]) => node(a, b)),
    );
    fc.assert(
      fc.property(states, (events) => {
        const { thoughts } = placeThoughts(events, all);
        const names = new Set(events.flatMap((event) => ('node' in event ? [event.node] : [])));
        expect(thoughts.map((thought) => thought.node).sort()).toEqual([...names].sort());
        expect(new Set(thoughts.map(({ x, y }) => `${x} ${y}`)).size).toBe(thoughts.length);
      }),
    );
  });
});
