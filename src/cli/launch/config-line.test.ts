import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { configLine } from './config-line.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-line-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('names the line on which an option stands, or the file that has none', () => {
  const file = join(folder, 'assay.config.ts');
  writeFileSync(file, 'export default defineAgent({\n  model,\n  // budget: none\n  budget: { ms: 1 },\n});\n');
  expect(configLine(file, 'budget')).toBe('assay.config.ts:4');
  expect(configLine(file, 'model')).toBe('assay.config.ts:2');
  expect(configLine(file, 'policy')).toBe('assay.config.ts (has no policy yet)');
});
