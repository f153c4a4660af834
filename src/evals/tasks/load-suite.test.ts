import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { loadSuite } from './load-suite.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-suite-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const suite = "export default { name: 'mine', tasks: async () => [], graders: () => [], configurations: [] };";

test('a suite of any copy of the package is taken, from a file or from its folder', async () => {
  const path = file('folder/suite.mjs', suite);
  expect(await loadSuite(path)).toMatchObject({ name: 'mine' });
  expect(await loadSuite(join(folder, 'folder'))).toMatchObject({ name: 'mine' });
});

const broken: [name: string, text: string, told: RegExp][] = [
  ['no-default.js', 'export const suite = 1;', /has no default export\. End it with: export default defineSuite/],
  ['options.js', "export default { name: 'x', tasks: [], grade: {} };", /no suite but the options of one.*defineSuite/],
  [
    'unchecked.js',
    "export default { name: 'x', tasks() {}, configurations: [] };",
    /no suite but a value of type object/,
  ],
  ['list.js', 'export default [];', /no suite but a list/],
  ['import.js', "import './not-there.js';\nexport default 1;", /not-there.*Install what it imports, or correct/s],
  ['throws.js', "\nthrow new Error('my own fault.');", /throws\.js, line 2, cannot be loaded: my own fault\. Correct/],
  ['tasks.jsonl', '{}', /no suite file: one ends in \.ts.*readTasks\('.*tasks\.jsonl'\)/],
  ['empty/notes.md', '', /no suite file/],
];

test.each(broken)('%s is refused with what to do', async (name, text, told) => {
  const loading = loadSuite(file(name, text));
  await expect(loading).rejects.toThrow(UsageError);
  await expect(loading).rejects.toThrow(told);
});

test('a path that is not there and a folder without a suite are told apart', async () => {
  await expect(loadSuite(join(folder, 'none'))).rejects.toThrow(/none does not exist/);
  file('empty/notes.md', '');
  await expect(loadSuite(join(folder, 'empty'))).rejects.toThrow(/holds no suite\.ts, suite\.js, suite\.mjs/);
});
