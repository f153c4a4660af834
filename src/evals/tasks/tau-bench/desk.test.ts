import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesOf, replay, type Tables } from './desk.ts';

const tables = fc.dictionary(
  fc.constantFrom('users', 'orders'),
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.record({ n: fc.integer({ min: 0, max: 2 }) })),
);

/** Tables without the empty ones: a table that holds nothing is as good as none. */
function filled(all: Tables): Tables {
  return Object.fromEntries(Object.entries(all).filter(([, table]) => Object.keys(table).length > 0));
}

describe('changesOf', () => {
  it('is equal for two databases exactly if they are, whatever they began as', () => {
    const three = fc.tuple(tables, tables, tables).map(([a, b, c]) => {
      const none = { users: {}, orders: {} };
      return [
        { ...none, ...a },
        { ...none, ...b },
        { ...none, ...c },
      ] as const;
    });
    fc.assert(
      fc.property(three, ([before, one, other]) => {
        const same =
          JSON.stringify(sorted(changesOf(before, one))) === JSON.stringify(sorted(changesOf(before, other)));
        expect(same).toBe(JSON.stringify(sorted(filled(one))) === JSON.stringify(sorted(filled(other))));
      }),
    );
  });

  it('keeps the value that was there when it was asked', () => {
    const after = { users: { a: { n: 1 } } };
    const changes = changesOf({ users: {} }, after);
    after.users.a.n = 2;
    expect(changes).toEqual({ 'users/a': { n: 1 } });
  });
});

describe('replay', () => {
  it('goes on past a call of a tool that is not there', async () => {
    expect(await replay([], [{ name: 'x', args: {} }])).toMatchObject([{ error: expect.stringContaining("'x'") }]);
  });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}
