import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunIndex, RunRow } from '../runtime/run-index.ts';
import { inMemoryRunIndex } from './run-index.ts';
import { sqliteRunIndex } from './sqlite-run-index.ts';

let folder = '';
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-index-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const row: fc.Arbitrary<RunRow> = fc.record({
  id: fc.string({ minLength: 1, maxLength: 3 }),
  tenant: fc.constantFrom('a', 'b'),
  agent: fc.constantFrom('x', 'y'),
  principal: fc.constantFrom('p', 'q'),
  status: fc.constantFrom('running' as const, 'failed'),
  created: fc.nat(5),
  updated: fc.nat(5),
  task: fc.string(),
  tokens: fc.nat(100),
  usd: fc.nat(100),
});

const makers: [string, () => RunIndex][] = [
  ['in memory', () => inMemoryRunIndex()],
  ['in SQLite', () => sqliteRunIndex({ file: join(folder, `${files++}.db`) })],
];

describe.each(makers)('an index %s', (_, make) => {
  test('pages put together are all rows of the tenant that fit, newest first, each once', async () => {
    const query = fc.record({
      tenant: fc.constantFrom('a', 'b'),
      agent: fc.constantFrom(undefined, 'x'),
      status: fc.constantFrom(undefined, 'failed' as const),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 15 }), query, async (rows, asked) => {
        const index = make();
        for (const one of rows) await index.put(one);
        const kept = [...new Map(rows.map((one) => [one.id, one])).values()]
          .filter((one) => one.tenant === asked.tenant && (asked.agent ?? one.agent) === one.agent)
          .filter((one) => (asked.status ?? one.status) === one.status);
        const pages: RunRow[] = [];
        for (
          let page = await index.list(asked);
          page.length > 0;
          page = await index.list({ ...asked, after: pages.at(-1) })
        ) {
          expect(page.length).toBeLessThanOrEqual(asked.limit);
          pages.push(...page);
        }
        expect(new Set(pages.map(({ id }) => id))).toEqual(new Set(kept.map(({ id }) => id)));
        expect(pages).toHaveLength(kept.length);
        const times = pages.map(({ created }) => created);
        expect(times).toEqual(times.toSorted((one, other) => other - one));
        for (const one of kept) expect(await index.get(one.id)).toMatchObject(one);
        const mine = [...new Map(rows.map((one) => [one.id, one])).values()].filter(
          (one) => one.principal === 'p' && one.created >= 2,
        );
        expect(await index.spent('p', 2)).toEqual({
          runs: mine.length,
          tokens: mine.reduce((sum, { tokens }) => sum + tokens, 0),
          usd: mine.reduce((sum, { usd }) => sum + usd, 0),
        });
        await index.close();
      }),
      { numRuns: 40 },
    );
  });
});

test('the index in memory forgets the oldest rows', () => {
  const index = inMemoryRunIndex({ keep: 2 });
  const base = {
    tenant: 'a',
    agent: 'x',
    principal: '',
    status: 'running' as const,
    updated: 0,
    task: '',
    tokens: 0,
    usd: 0,
  };
  for (const id of ['1', '2', '3']) index.put({ ...base, id, created: Number(id) });
  expect(index.get('1')).toBeUndefined();
  expect(index.get('3')).toBeDefined();
});
