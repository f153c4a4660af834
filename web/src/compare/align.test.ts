import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Aligned, align } from './align.ts';

/** `search:a` is a call of `search` with the arguments `a`. */
const options = { key: (call: string) => call, kind: (call: string) => call.split(':')[0] ?? '' };

function shown(rows: readonly Aligned<string>[]): string[] {
  return rows.map(
    ({ type, left = '', right = '' }) => `${left} ${{ same: '=', changed: '~', left: '<', right: '>' }[type]} ${right}`,
  );
}

describe('the calls of two runs', () => {
  it('stand beside each other where they are the same', () => {
    expect(shown(align(['search:a', 'read:1', 'sum:x'], ['search:a', 'sum:x'], options))).toEqual([
      'search:a = search:a',
      'read:1 < ',
      'sum:x = sum:x',
    ]);
  });

  it('stand beside each other where only their arguments differ', () => {
    expect(shown(align(['search:a', 'sum:1'], ['search:b', 'read:1', 'sum:1'], options))).toEqual([
      'search:a ~ search:b',
      ' > read:1',
      'sum:1 = sum:1',
    ]);
  });

  it('are told apart by more than their tools where nothing makes them kin', () => {
    expect(shown(align(['a'], ['b'], { key: (text) => text }))).toEqual(['a < ', ' > b']);
  });

  it('are all there, each once and in order', () => {
    const calls = fc.array(fc.constantFrom('s:1', 's:2', 'r:1', 'r:2', 'm:1'), { maxLength: 12 });
    fc.assert(
      fc.property(calls, calls, (left, right) => {
        const rows = align(left, right, options);
        expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
        expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
        for (const row of rows) {
          if (row.type === 'same') expect(row.left).toBe(row.right);
          if (row.type === 'changed') expect(row.left?.[0]).toBe(row.right?.[0]);
        }
      }),
    );
  });

  it('are compared in their order where there are very many', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `s:${at}`);
    expect(align(many, many, options).every(({ type }) => type === 'same')).toBe(true);
    const moved = align(many, many.slice(1), { key: (call) => call });
    expect(moved.some(({ type }) => type === 'same')).toBe(false);
    expect(moved).toHaveLength(3_999);
  });
});
