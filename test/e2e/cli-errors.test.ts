import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk, sumScript } from './cli-process.ts';

let desk: Desk;
const bare = ['--layers', 'none'];

beforeAll(() => {
  desk = new Desk();
  desk.write('sum.json', sumScript());
});

afterAll(() => desk.remove());

/** Wrong usage is told in one paragraph with the remedy, on stderr, with exit code 2. `program.test.ts` has those that need no process. */
const usage: [name: string, args: string[], told: RegExp][] = [
  ['an empty standard input', ['run', '-'], /nothing came on standard input/],
  ['an unknown command', ['rnu', 'x'], /Did you mean run\?/],
  ['a missing folder', ['run', 'x', '--model', 'script:sum.json', '--docs', './none'], /folder .*none does not exist/],
  ['a missing script', ['run', 'x', '--model', 'script:none.json'], /none\.json/],
  [
    'a folder for an events file',
    ['run', 'x', '--model', 'script:sum.json', '--events', '.'],
    /--events \. cannot be written/,
  ],
  ['an unknown provider', ['run', 'x', '--model', 'opnai:gpt-5-mini'], /Did you mean openai:gpt-5-mini\?/],
  ['a missing key', ['run', 'x', '--model', 'openai:gpt-5-mini'], /OPENAI_API_KEY is not set.*export OPENAI_API_KEY/],
  ['a price that is not known', ['run', 'x', '--model', 'exec:cat', '--budget-usd', '1'], /USD needs a price/],
];

test.each(usage)('%s is wrong usage', async (_name, args, told) => {
  const { code, stdout, stderr } = await desk.assay(args);
  expect(stderr.replace(/\s+/g, ' ')).toMatch(told);
  expect(stderr).toMatch(/^assay: /m);
  expect(stderr).not.toMatch(/\n +at /);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('without a model everything that was looked for is told, with what to type', async () => {
  const { code, stderr } = await desk.assay(['run', 'x'], { env: { OLLAMA_HOST: '127.0.0.1:1' } });
  expect(code).toBe(2);
  expect(stderr).toMatch(/ANTHROPIC_API_KEY: not set[\s\S]*export OPENAI_API_KEY/);
});

test('with --json an error is one JSON value as well', async () => {
  const { code, value, stderr } = await desk.json(['run', 'x', '--solver', 'tree']);
  expect(code).toBe(2);
  expect(value).toEqual({ error: { kind: 'usage', message: expect.stringContaining('react, direct'), exitCode: 2 } });
  expect(stderr).toMatch(/^assay: /);
});

test('a config with a syntax error is wrong usage, told with its line', async () => {
  desk.write('broken.ts', 'export default {\n  model: ;\n};\n');
  const { code, stderr } = await desk.assay(['run', 'x', '--config', 'broken.ts']);
  expect(stderr.replace(/\s+/g, ' ')).toMatch(/broken\.ts, line 2, cannot be loaded/);
  expect(code).toBe(2);
  desk.write('enum.ts', 'enum A { b }\nexport default A;\n');
  const enumerated = await desk.assay(['run', 'x', '--config', 'enum.ts']);
  expect(enumerated.stderr.replace(/\s+/g, ' ')).toContain('types are stripped and not compiled: use no enum');
});

test('a dead server fails the run with the remedy', async () => {
  const port = await unusedPort();
  const model = `openai-compatible:http://127.0.0.1:${port}/v1#m`;
  const { code, stdout } = await desk.assay(['run', 'x', '--model', model, ...bare, '--timeout', '3']);
  expect(stdout).toMatch(/No connection to the model server|the time of the run was over/);
  expect(code).toBe(1);
});

test('a file that is no database is told with the remedy', async () => {
  mkdirSync(join(desk.folder, 'broken'));
  desk.write('broken/assay.db', 'this is a letter and no database, and long enough to be read as one'.repeat(40));
  const home = ['--home', 'broken'];
  const [run, runs, doctor] = await Promise.all([
    desk.assay(['run', 'x', '--model', 'script:sum.json', ...bare, ...home]),
    desk.assay(['runs', ...home]),
    desk.assay(['doctor', ...home]),
  ]);
  for (const ended of [run, runs]) {
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/broken\/assay\.db.*move it away/);
  }
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/journal +✗/) });
});

test('a locked database is told with the remedy', async () => {
  mkdirSync(join(desk.folder, 'locked'));
  const database = new DatabaseSync(join(desk.folder, 'locked', 'assay.db'));
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (x); BEGIN EXCLUSIVE');
  try {
    const args = ['run', 'x', '--model', 'script:sum.json', ...bare, '--home', 'locked'];
    const { code, stderr } = await desk.assay(args);
    expect(stderr).toMatch(/another process.*locked|locked.*another process/);
    expect(code).toBe(1);
  } finally {
    database.close();
  }
});

test('a home that cannot be made is told, in a run and by the doctor', async () => {
  writeFileSync(join(desk.folder, 'a-file'), '');
  const home = ['--home', 'a-file/home'];
  const [run, doctor] = await Promise.all([
    desk.assay(['run', 'x', '--model', 'script:sum.json', ...bare, ...home]),
    desk.assay(['doctor', ...home]),
  ]);
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toMatch(/^assay: /m);
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/home +✗[\s\S]*to do: /) });
});

test('a run id that is taken is refused', async () => {
  const args = ['run', 'x', '--model', 'script:sum.json', ...bare, '--run-id', 'mine'];
  expect((await desk.assay(args)).code).toBe(4);
  const { code, stderr } = await desk.assay(args);
  expect(stderr).toMatch(/'mine' exists already\. Resume it/);
  expect(code).toBe(2);
});

test.skipIf(process.platform !== 'linux')('a full disk costs the events, never the run, and is told', async () => {
  const args = ['run', 'x', '--model', 'script:sum.json', ...bare, '--events', '/dev/full'];
  const { code, stderr } = await desk.assay(args);
  expect(stderr.replace(/\s+/g, ' ')).toMatch(/warning .*jsonl:\/dev\/full.*gets no more events: ENOSPC/);
  expect(code).toBe(4);
});

test('lessons of a broken export are refused as a whole, with the line', async () => {
  desk.write('lessons.jsonl', '{"id":"a"}\n');
  const { code, stderr } = await desk.assay(['lessons', 'import', 'lessons.jsonl', '--home', 'fresh']);
  expect(stderr).toMatch(/lessons\.jsonl, line 1: no lesson \(source: .*Nothing was imported/);
  expect(code).toBe(2);
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 1;
}
