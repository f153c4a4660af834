import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { pageOfClone } from './page-folder.ts';

function clone(): string {
  const root = mkdtempSync(join(tmpdir(), 'page-folder-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['web/src', 'node_modules']) mkdirSync(join(root, folder), { recursive: true });
  symlinkSync(fileURLToPath(new URL('../../../node_modules/vite', import.meta.url)), join(root, 'node_modules/vite'));
  writeFileSync(join(root, 'web/vite.config.ts'), 'export default {};');
  writeFileSync(join(root, 'web/index.html'), '<script type="module" src="./src/main.ts"></script>');
  writeFileSync(join(root, 'web/src/main.ts'), "const word: string = 'first'; document.title = word;");
  return root;
}

function scriptsIn(folder: string): string {
  const assets = join(folder, 'assets');
  return readdirSync(assets)
    .map((name) => readFileSync(join(assets, name), 'utf8'))
    .join('');
}

test('a clone builds the page when it is missing or older than its sources, and only then', async () => {
  const root = clone();
  const told: string[] = [];
  const page = () => pageOfClone(root, (text) => told.push(text));
  // Two that start together.
  const [folder] = await Promise.all([page(), pageOfClone(root, () => undefined)]);
  expect(scriptsIn(folder)).toContain('first');
  expect(told).toEqual([expect.stringMatching(/^Building the page/)]);
  await page();
  expect(told).toHaveLength(1);

  const source = join(root, 'web/src/main.ts');
  writeFileSync(source, 'export const = broken');
  utimesSync(source, Date.now() / 1_000 + 5, Date.now() / 1_000 + 5);
  expect(await page()).toBe(folder);
  expect(told.slice(1)).toEqual([expect.any(String), expect.stringMatching(/could not be built.*npm run web:build/)]);
  expect(scriptsIn(folder)).toContain('first');
  expect(readdirSync(join(root, 'node_modules/.cache'))).toEqual([]);
});

test('what is no clone builds nothing', async () => {
  const root = clone();
  rmSync(join(root, 'web/vite.config.ts'));
  expect(existsSync(await pageOfClone(root, () => expect.unreachable()))).toBe(false);
});
