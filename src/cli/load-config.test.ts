import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { findConfig, loadConfig } from './load-config.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-config-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('an agent of any copy of the package is taken', async () => {
  const path = file('good.js', "export default { options: { model: 'script:x' }, run() {} };");
  expect(await loadConfig(path)).toEqual({ model: 'script:x' });
});

const broken: [name: string, text: string, told: RegExp][] = [
  ['no-default.js', 'export const agent = 1;', /no default export.*defineAgent/],
  ['object.js', "export default { model: 'x' };", /is no agent but a value of type object/],
  ['list.js', 'export default [];', /is no agent but a list/],
  ['import.js', "import './not-there.js';\nexport default 1;", /not-there.*Install what it imports, or correct/s],
  ['throws.js', "throw new Error('my own fault');", /my own fault.*Correct the file/s],
];

test.each(broken)('%s is refused with what to do', async (name, text, told) => {
  const loading = loadConfig(file(name, text));
  await expect(loading).rejects.toThrow(UsageError);
  await expect(loading).rejects.toThrow(told);
});

test('a config is found by its usual name, or by the one that was given', () => {
  expect(findConfig(undefined, folder)).toBeUndefined();
  const usual = file('assay.config.mjs', 'export default 1;');
  expect(findConfig(undefined, folder)).toBe(usual);
  expect(findConfig('good.js', folder)).toBe(join(folder, 'good.js'));
  expect(() => findConfig('none.js', folder)).toThrow(/none\.js does not exist/);
});
