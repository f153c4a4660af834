import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { UsageError } from '../../core/errors.ts';
import { csvRows } from './csv-rows.ts';
import { readTasks } from './read-tasks.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-tasks-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const rows = [
  { id: 'a', question: 'How many legs has a "spider"?', answer: '8', kind: 'numeric' },
  { id: 'b', question: 'Which city,\nif any?', answer: 'Löwen', kind: 'text' },
];
const tasks = rows.map(({ id, question, answer, kind }) => ({ id, input: question, expected: answer, kind }));

const csv =
  'id,question,answer,kind\r\na,"How many legs has a ""spider""?",8,numeric\r\n\r\nb,"Which city,\nif any?",Löwen,text\r\n';
const lines = rows.map((row) => JSON.stringify(row)).join('\n');
const files: [name: string, content: string | Uint8Array][] = [
  ['lines.jsonl', `${lines}\n`],
  ['lines.ndjson', lines.replaceAll('\n', '\r\n\r\n')],
  ['lines.json', lines],
  ['list.json', JSON.stringify(rows, undefined, 2)],
  ['member.json', JSON.stringify({ name: 'a set', tags: ['x'], examples: rows })],
  ['table.csv', csv],
  ['semicolons.csv', csv.replaceAll(/,(?=[a-z8LM"])/g, ';')],
  [
    'table.tsv',
    'id\tquestion\tanswer\tkind\na\t"How many legs has a ""spider""?"\t8\tnumeric\nb\t"Which city,\nif any?"\tLöwen\ttext',
  ],
  ['list.yaml', stringify(rows)],
  ['member.yml', stringify({ tasks: rows })],
  ['marked.csv', `\ufeff${csv}`],
  ['wide.csv', Buffer.from(`\ufeff${csv}`, 'utf16le')],
  ['packed.jsonl.gz', gzipSync(lines)],
];

test.each(files)('%s gives the same tasks as the other formats', async (name, content) => {
  expect(await readTasks(file(name, content))).toEqual(tasks);
});

test('all that a task may have is read', async () => {
  const task = {
    id: '7',
    input: 'x',
    constraints: ['in one word'],
    outputSchema: { type: 'string' },
    checks: ['short'],
    expected: [1, null],
    kind: 'k',
    context: { a: [1] },
  };
  expect(await readTasks(file('whole.json', JSON.stringify([{ ...task, id: 7, other: 1 }])))).toEqual([task]);
});

test('fields say where a value is, also inside an object', async () => {
  const path = file('mapped.jsonl', JSON.stringify({ uuid: 1, key: 'k1', text: 'x', meta: { gold: 0, type: 'sum' } }));
  const fields = { id: 'key', input: 'text', expected: 'meta.gold', kind: 'meta.type' };
  expect(await readTasks(path, { fields })).toEqual([{ id: 'k1', input: 'x', expected: 0, kind: 'sum' }]);
});

test('null counts as absent', async () => {
  const [task] = await readTasks(file('null.jsonl', '{"id":null,"task":"x","expected":null,"kind":null}'));
  expect(task).toEqual({ id: expect.stringMatching(/^task-/), input: 'x' });
});

test('a column that is not of one task counts for those that have it', async () => {
  const path = file('partly.csv', 'id,task,answer\n1,x,\n2,y,z\n');
  expect(await readTasks(path)).toEqual([
    { id: '1', input: 'x' },
    { id: '2', input: 'y', expected: 'z' },
  ]);
});

test('a task without an id keeps the one made of what it asks when rows are added or a label is corrected', async () => {
  const [before] = await readTasks(file('first.csv', 'question,answer\nx,1\n'));
  const later = await readTasks(file('second.csv', 'question,answer\nnew,3\nx,2\n'));
  expect(before?.id).toMatch(/^task-[0-9a-f]{16}$/);
  expect(later.map(({ id }) => id === before?.id)).toEqual([false, true]);
});

const broken: [name: string, content: string, told: RegExp][] = [
  ['two-inputs.csv', 'question,prompt\nx,y\n', /question and prompt, each of which may be input.*fields: \{ input/],
  ['two-labels.csv', 'task,Answer,gold\nx,y,z\n', /Answer and gold, each of which may be expected/],
  ['no-input.csv', 'id,text\n1,x\n', /has none of input, task, question, prompt, but id, text/],
  ['no-rows.csv', 'id,task\n', /holds no rows/],
  ['empty.jsonl', '', /holds no rows/],
  ['columns.csv', 'id,task,id\n1,x,2\n', /two columns named 'id'/],
  ['fields.csv', 'id,task\n1,"a\nb"\n2,x,y\n', /fields\.csv, line 4 has 3 fields and the head 2/],
  ['open.csv', 'id,task\n1,x\n2,"y\n3,z\n', /open\.csv, line 3: a field in quotation marks/],
  ['mark.csv', 'task\n"Who said "hi" first?"\n', /mark\.csv, line 2: a field in quotation marks/],
  ['same-id.csv', 'id,task\n1,x\n2,y\n1,z\n', /line 4 has the id '1', and so has .*line 2\. Make the ids unique/],
  ['same-task.csv', 'task\nx\nx\n', /line 3 has the id 'task-.*made of what they ask/],
  ['blank.jsonl', '{"task":"x"}\n\n{"task":" "}\n', /blank\.jsonl, line 3: task is " ", and has to be a text/],
  ['missing.jsonl', '{"task":"x"}\n{"id":1}\n', /missing\.jsonl, line 2: task is missing/],
  ['type.jsonl', '{"task":["x"]}\n', /line 1: task is \["x"\], and has to be a text/],
  ['list.jsonl', '{"task":"x"}\n[1]\n', /list\.jsonl, line 2 is no object but \[1\]/],
  ['cut.jsonl', '{"task":"x"}\n{"task":\n', /cut\.jsonl, line 2 is no JSON/],
  ['cut.json', '[{"task":"x"},\n{"task" "y"}]', /cut\.json is no JSON: .*line 2/],
  ['lists.json', '{"a":[{"task":"x"}],"b":[{"task":"y"}]}', /one list of objects\. Lists in it: a, b/],
  ['value.json', '[{"task":"x"},3]', /value\.json, row 2 is no object but 3/],
  ['value.yaml', '- task: x\n- task: y\n- 3\n', /value\.yaml, line 3 is no object but 3/],
  ['member.yaml', 'tasks:\n  - task: x\n  - task: 3\n  - {}\n', /member\.yaml, line 4: task is missing/],
  ['broken.yaml', '- task: "x\n- y: 1\n', /broken\.yaml is no YAML: .* line/],
  ['nan.yaml', '- task: x\n  expected: .nan\n', /nan\.yaml, line 1 holds a value that is no JSON, such as \.nan/],
  ['binary.csv', 'a\u0000b', /binary\.csv cannot be read: it is a binary file/],
  ['notes.txt', 'x', /is of no format that is read here.*jsonl/],
];

test.each(broken)('%s is refused with the place and the remedy', async (name, content, told) => {
  const reading = readTasks(file(name, content));
  await expect(reading).rejects.toThrow(UsageError);
  await expect(reading).rejects.toThrow(told);
});

test('a wrong field, list, or path is told with what there is', async () => {
  const path = file('given.json', '{"a":[{"task":"x","gold":1}],"b":[{"task":"y"}]}');
  await expect(readTasks(path, { list: 'a', fields: { expected: 'godl' } })).rejects.toThrow(
    /no 'godl', which `fields` gives for expected\. It has: task, gold/,
  );
  await expect(readTasks(path, { list: 'c' })).rejects.toThrow(/no list of objects 'c'\. Lists in it: a, b/);
  expect(await readTasks(path, { list: 'b' })).toMatchObject([{ input: 'y' }]);
  await expect(readTasks(join(folder, 'none.csv'))).rejects.toThrow(/none\.csv does not exist/);
});

describe('a folder', () => {
  const inside = (name: string, names: string[]): string => {
    const path = mkdtempSync(join(folder, name));
    for (const each of names) writeFileSync(join(path, each), '{"task":"x"}');
    return path;
  };

  test('stands for its only data file', async () => {
    expect(await readTasks(inside('one-', ['notes.md', 'tasks.jsonl']))).toHaveLength(1);
  });

  test('stands for the file of its name beside others', async () => {
    const path = inside('set-', ['other.json']);
    writeFileSync(join(path, `${basename(path)}.jsonl`), '{"task":"y"}');
    expect(await readTasks(path)).toMatchObject([{ input: 'y' }]);
  });

  test('with several data files or none is refused', async () => {
    await expect(readTasks(inside('two-', ['a.jsonl', 'b.json']))).rejects.toThrow(
      /several data files \(a\.jsonl, b\.json\)/,
    );
    await expect(readTasks(inside('none-', ['a.md']))).rejects.toThrow(/holds no file that ends in jsonl/);
  });
});

test('CSV that was written by the rules is read as it was', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '1', ' ', '"', ',', '\n', '\r', 'ü'), maxLength: 8 });
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const written = (text: string): string => (/["\r\n,]/.test(text) ? quoted(text) : text);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell), { minLength: 1 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      (table, end, closed) => {
        const text = ['x,y', ...table.map((row) => row.map(written).join(','))].join(end) + (closed ? end : '');
        const read = csvRows(text, 'f.csv').map(({ value }) => [value['x'] ?? '', value['y'] ?? '']);
        expect(read).toEqual(table);
      },
    ),
  );
});

test('a table of 100,000 rows is read in seconds', async () => {
  const line = (index: number): string =>
    `t${index},"Is this, row ${index}, as ""long"" as others are?\nYes or no?",yes\n`;
  const path = file(
    'large.csv',
    `id,question,answer\n${Array.from({ length: 100_000 }, (_, index) => line(index)).join('')}`,
  );
  const begin = performance.now();
  const read = await readTasks(path);
  expect(read).toHaveLength(100_000);
  expect(read.at(-1)).toMatchObject({ id: 't99999', expected: 'yes' });
  expect(performance.now() - begin).toBeLessThan(5_000);
});
