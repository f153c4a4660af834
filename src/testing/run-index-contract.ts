/**
 * What every index of runs keeps to (`src/runtime/run-index.ts`). `make` returns a fresh, empty index each time; `another` a second handle
 * on the same rows, where the index has such a thing.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunCursor, RunIndex, RunRow, RunRowQuery } from '../runtime/run-index.ts';

export interface RunIndexFixture {
  index: RunIndex;
  another?(): RunIndex;
  dispose?(): Promise<void> | void;
}

/** A row of the tenant `t1`, changed as a test needs it. */
export function runRow(id: string, changes: Partial<RunRow> = {}): RunRow {
  return {
    ...{ id, tenant: 't1', agent: 'default', principal: 'p1', status: 'running', task: `task of ${id}` },
    ...{ created: 1_000, updated: 1_000, tokens: 10, usd: 0.25 },
    ...changes,
  };
}

/** Registers the suite under the name. */
export function runIndexContract(name: string, make: () => Promise<RunIndexFixture> | RunIndexFixture): void {
  const open: RunIndexFixture[] = [];
  const fresh = async (rows: readonly RunRow[] = []): Promise<RunIndex> => {
    const fixture = await make();
    open.push(fixture);
    for (const row of rows) await fixture.index.put(row);
    return fixture.index;
  };
  const ids = (rows: readonly RunRow[]): string[] => rows.map(({ id }) => id);

  describe(`run index contract: ${name}`, () => {
    afterEach(async () => {
      for (const { index, dispose } of open.splice(0)) {
        await index.close();
        await dispose?.();
      }
    });

    test('a row comes back as it was put, and the last one put takes the place', async () => {
      const index = await fresh([runRow('r1', { forkedFrom: 'r0' })]);
      expect(await index.get('r1')).toEqual(runRow('r1', { forkedFrom: 'r0' }));
      const ended = runRow('r1', {
        ...{ status: 'completed', updated: 2_000, tokens: 7, usd: 0.1 },
        ...{ activeMs: 812.5, verdict: 'pass', configuration: 'gpt-5-mini · react · plan' },
      });
      await index.put(ended);
      expect(await index.get('r1')).toEqual(ended);
      expect(await index.get('r2')).toBeUndefined();
    });

    test('rows are soon seen by every handle', async () => {
      const fixture = await make();
      open.push(fixture);
      await fixture.index.put(runRow('r1'));
      const other = fixture.another?.();
      if (!other) return;
      await expect.poll(() => other.get('r1')).toEqual(runRow('r1'));
      await other.close();
    });

    test('a list holds the rows of its tenant only, newest first, with its filters', async () => {
      const index = await fresh([
        runRow('r1', { created: 1 }),
        runRow('r2', { created: 3, agent: 'other' }),
        runRow('r3', { created: 2, status: 'failed' }),
        runRow('s1', { tenant: 't2', created: 4 }),
      ]);
      expect(ids(await index.list({ tenant: 't1', limit: 9 }))).toEqual(['r2', 'r3', 'r1']);
      expect(ids(await index.list({ tenant: 't2', limit: 9 }))).toEqual(['s1']);
      expect(ids(await index.list({ tenant: 't3', limit: 9 }))).toEqual([]);
      expect(ids(await index.list({ tenant: 't1', status: 'failed', limit: 9 }))).toEqual(['r3']);
      expect(ids(await index.list({ tenant: 't1', agent: 'default', limit: 9 }))).toEqual(['r3', 'r1']);
      expect(ids(await index.list({ tenant: 't1', limit: 2 }))).toEqual(['r2', 'r3']);
    });

    test('a search finds a part of the task in either case, or the start of an id, as it is written', async () => {
      const index = await fresh([
        runRow('abc-1', { created: 1, task: 'What is 100% of The Total?' }),
        runRow('abd-2', { created: 2, task: 'a_b total, 总价是多少' }),
        runRow('abe-3', { created: 3, task: 'abc-1 again', status: 'failed' }),
        runRow('abf-4', { tenant: 't2', created: 4, task: 'total' }),
      ]);
      const found = async (search: string, more: Partial<RunRowQuery> = {}) =>
        ids(await index.list({ tenant: 't1', search, limit: 9, ...more }));
      expect(await found('TOTAL')).toEqual(['abd-2', 'abc-1']);
      expect(await found('总价')).toEqual(['abd-2']);
      expect(await found('abc')).toEqual(['abe-3', 'abc-1']);
      expect(await found('abc', { status: 'failed' })).toEqual(['abe-3']);
      expect(await found('bc-1')).toEqual(['abe-3']);
      // No text is a pattern.
      expect(await found('0% of')).toEqual(['abc-1']);
      expect(await found('%')).toEqual(['abc-1']);
      expect(await found('_')).toEqual(['abd-2']);
      expect(await found("' OR 1=1 --")).toEqual([]);
      expect(await found('total', { limit: 1, after: { created: 2, id: 'abd-2' } })).toEqual(['abc-1']);
    });

    test('pages hold every row once, also rows of the same time and while new ones come', async () => {
      const tenants = fc.constantFrom('t1', 't2');
      const drawn = fc.uniqueArray(
        fc.record({ id: fc.stringMatching(/^[0-9A-Za-z-]{1,8}$/), created: fc.nat(3), tenant: tenants }),
        { selector: ({ id }) => id, maxLength: 20 },
      );
      await fc.assert(
        fc.asyncProperty(drawn, fc.integer({ min: 1, max: 5 }), async (rows, limit) => {
          const index = await fresh(rows.map(({ id, ...changes }) => runRow(id, changes)));
          const listed: RunRow[] = [];
          for (let after: RunCursor | undefined; ; after = listed.at(-1)) {
            const page = await index.list({ tenant: 't1', limit, after });
            listed.push(...page);
            if (page.length < limit) break;
            await index.put(runRow(`late${listed.length}`, { created: 9 }));
          }
          const expected = rows
            .filter(({ tenant }) => tenant === 't1')
            .toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
          expect(ids(listed)).toEqual(ids(expected.map(({ id }) => runRow(id))));
        }),
        { numRuns: 15 },
      );
    });

    test('what a principal spent is summed from a time on', async () => {
      const index = await fresh([
        runRow('r1', { created: 5 }),
        runRow('r2', { created: 10, tokens: 3, usd: 0.5 }),
        runRow('r3', { created: 20, tokens: 4, usd: 0.25 }),
        runRow('r4', { created: 20, principal: 'p2' }),
      ]);
      expect(await index.spent('p1', 10)).toEqual({ runs: 2, tokens: 7, usd: 0.75 });
      expect(await index.spent('p3', 0)).toEqual({ runs: 0, tokens: 0, usd: 0 });
    });

    test('hostile texts come back as they were', async () => {
      const hostile = `'; DROP TABLE runs; -- \u0000 \\u0000 "\\ {1,2} \u{1f600} \r\n`;
      const row = runRow(`${hostile}1`, {
        tenant: `${hostile}2`,
        principal: hostile,
        task: hostile,
        forkedFrom: hostile,
      });
      const index = await fresh([row, runRow('other')]);
      expect(await index.get(row.id)).toEqual(row);
      expect(await index.list({ tenant: row.tenant, limit: 9 })).toEqual([row]);
      expect(await index.list({ tenant: "t' OR '1'='1", limit: 9 })).toEqual([]);
    });
  });
}
