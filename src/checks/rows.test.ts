import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import { attemptWith } from '../testing/attempt.ts';
import { calculator } from '../tools/builtin/calculator/calculator.ts';
import { sql } from '../tools/builtin/sql.ts';
import { offlineContext } from './offline.ts';
import { queryWith } from './row-source.ts';
import { type RowsOptions, rows } from './rows.ts';
import { tableOf } from './table-text.ts';

const task = { input: 'List the tools', constraints: [], checks: [] };
const good = [
  { id: 1, name: 'saw', price: 12.5, maker: 'a' },
  { id: 2, name: 'axe', price: 30, maker: 'b' },
];

async function issuesOf(answer: unknown, options: RowsOptions): Promise<Issue[]> {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return rows(options).run(attemptWith({ answer: text }), task, offlineContext());
}

describe('the rows of an answer', () => {
  it.each([
    ['JSON', JSON.stringify(good)],
    ['a fenced block', `Here:\n\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\`\nDone.`],
    ['a JSON object', JSON.stringify({ data: { items: good } })],
  ])('are read from %s', (name, text) => {
    expect(tableOf(text, name === 'a JSON object' ? 'data.items' : undefined)).toEqual({ rows: good, typed: true });
  });

  it('are read from CSV', () => {
    const csv = 'id,note\r\n1,"a ""quoted"", text\nof two lines"\n\n2,\n3,""\n';
    expect(tableOf(csv)).toEqual({
      ...{ typed: false },
      rows: [
        { id: '1', note: 'a "quoted", text\nof two lines' },
        { id: '2', note: null },
        { id: '3', note: '' },
      ],
    });
    expect(tableOf(`\`\`\`tsv\na\tb\n1\t2\n\`\`\``)).toMatchObject({ rows: [{ a: '1', b: '2' }] });
  });

  it.each([
    ['[{"id": 1}', 'not JSON'],
    ['{"items": []}', 'no list of rows'],
    ['[1]', 'row 1 is no object'],
    ['a,b\n1', 'row 1 of the CSV has 1 fields, its head 2'],
    ['a\n"open', 'not closed'],
    ['', 'empty'],
  ])('cannot be read from %j', async (text, why) => {
    expect(await issuesOf(text, { count: 1 })).toMatchObject([{ detail: expect.stringContaining(why) }]);
  });

  it('are those of the last result of a tool where one is named', async () => {
    const check = rows({ from: { tool: 'export' }, count: 1 });
    const seen = { path: '', tool: 'export', args: {}, status: 'ok', trust: 'untrusted' } as const;
    const observations = ['[]', '[{"id":1}]'].map((content, place) => ({
      ...seen,
      id: `obs-${place}` as const,
      content,
    }));
    expect(await check.run(attemptWith({ answer: 'done', observations }), task, offlineContext())).toEqual([]);
    expect(await check.run(attemptWith({ answer: 'done' }), task, offlineContext())).toHaveLength(1);
  });
});

describe('rows', () => {
  const schema = {
    ...{ type: 'object', required: ['id', 'name'] },
    properties: { id: { type: 'integer' }, name: { type: 'string' }, price: { type: ['number', 'null'] } },
  };

  it.each<[string, unknown, RowsOptions]>([
    ['a value of another type', [{ id: 'x', name: 'saw' }], { schema }],
    ['a text where CSV needs a number', 'id,name\nx,saw', { schema }],
    ['what zod refuses', [{ id: 0 }], { schema: z.object({ id: z.number().positive() }) }],
    ['a value out of range', good, { ranges: { price: { max: 20 } } }],
    ['a text in a range', [{ price: 'cheap' }], { ranges: { price: { min: 0 } } }],
    ['a repeated key', [...good, { id: 2 }], { unique: ['id'] }],
    ['a repeated pair', [...good, ...good], { unique: [['id', 'name']] }],
    ['a reference to nothing', good, { foreignKeys: [{ column: 'maker', in: [{ code: 'a' }] }] }],
    ['another number of rows', good, { count: 3 }],
    ['too few rows', good, { count: { min: 3 } }],
    ['fewer rows than the source', good, { count: { source: () => [...good, ...good] } }],
    ['a row left out', good, { keys: { columns: 'id', source: [{ id: 1 }, { id: 2 }, { id: 3 }] } }],
    ['a row made up', good, { keys: { columns: ['id', 'name'], source: async () => [{ id: 1, name: 'saw' }] } }],
  ])('finds %s', async (_, answer, options) => {
    expect(await issuesOf(answer, options)).toMatchObject([{ type: 'failed_check' }]);
  });

  it('finds nothing in rows that are as asked', async () => {
    const options: RowsOptions = {
      ...{
        schema,
        ranges: { price: { min: 0, max: 30 } },
        unique: ['id', ['name', 'maker']],
        count: { min: 1, max: 2 },
      },
      foreignKeys: [
        {
          column: 'maker',
          in: [
            { n: 1, code: 'b' },
            { n: 2, code: 'a' },
          ],
          key: 'code',
        },
      ],
      keys: { columns: 'id', source: [{ id: '2' }, { id: '1.0' }] },
    };
    expect(await issuesOf(good, options)).toEqual([]);
    expect(await issuesOf('id,name,price,maker\n1,saw,12.5,a\n2,axe,,b', options)).toEqual([]);
  });

  it('lists the first faults only', async () => {
    const many = Array.from({ length: 9 }, () => ({ id: 'x', name: 'y' }));
    const [issue] = await issuesOf(many, { schema });
    expect(issue?.detail).toMatch(/row 1: id .*row 5: .*and 4 more$/);
  });

  it('needs a query for SQL', () => {
    expect(() => rows({ count: { source: 'SELECT 1' } })).toThrow(UsageError);
    expect(() => queryWith(calculator())).toThrow(UsageError);
  });
});

describe('a source in a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rows-'));
  const file = join(folder, 'tools.db');
  beforeAll(() => {
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE tool (id INTEGER, maker TEXT); INSERT INTO tool VALUES (1, 'a'), (2, 'b'), (3, NULL)");
    database.close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is asked through the tool for SQL', async () => {
    const query = queryWith(sql({ sqlite: file }));
    const all = [...good, { id: 3, name: 'file', price: 4, maker: null }];
    const options: RowsOptions = {
      ...{ query, count: { source: 'SELECT maker FROM tool' }, keys: { columns: 'id', source: 'SELECT id FROM tool' } },
      foreignKeys: [{ column: 'maker', in: 'SELECT DISTINCT maker FROM tool WHERE maker IS NOT NULL' }],
    };
    expect(await issuesOf(all, options)).toEqual([]);
    expect(await issuesOf(good, options)).toHaveLength(2);
  });

  it('is refused when the tool returns a part of it', async () => {
    const query = queryWith(sql({ sqlite: file }, { maxRows: 2 }));
    await expect(issuesOf(good, { query, count: { source: 'SELECT id FROM tool' } })).rejects.toThrow(/larger maxRows/);
  });
});
