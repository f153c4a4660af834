import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentOptions } from '../agent.ts';
import { UsageError } from '../core/errors.ts';
import { openWorkshop } from './build-agent.ts';
import { homeOf } from './home.ts';
import type { Settings } from './settings.ts';

let folder: string;
let model: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-build-'));
  mkdirSync(join(folder, 'docs'));
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ replies: ['hello'] }));
  model = `script:${script}`;
});

afterAll(() => rmSync(folder, { recursive: true }));

async function optionsFor(settings: Settings): Promise<AgentOptions> {
  const workshop = await openWorkshop({ model, ...settings }, { home: homeOf(join(folder, 'home')) });
  await workshop.close();
  return workshop.agent.options;
}

function config(name: string, options: object): string {
  const file = join(folder, name);
  writeFileSync(file, `export default { options: ${JSON.stringify(options)}, run() {} };`);
  return file;
}

const names = <Named extends { name: string }>(list: readonly (Named | readonly Named[])[] = []): string[] =>
  list.flatMap((item) => ('name' in item ? item.name : item.map(({ name }) => name)));

test('without settings it plans, checks and remembers, with the tools that need no set-up', async () => {
  const options = await optionsFor({});
  expect(names(options.layers)).toEqual(['lessons', 'verification', 'plan']);
  expect(names(options.tools)).toEqual(['calculator', 'fetchPage']);
  expect(options.solver?.name).toBe('react');
});

test('a setting turns small-model mode on or off; without one the size of the model decides', async () => {
  const modes = await Promise.all(
    [{}, { smallModel: 'on' }, { smallModel: 'off' }].map((set) => optionsFor(set as Settings)),
  );
  expect(modes.map(({ smallModel }) => smallModel)).toEqual([undefined, true, false]);
});

test('settings choose solver, layers, steps and documents', async () => {
  const direct = await optionsFor({ solver: 'direct', layers: [] });
  expect([direct.solver?.name, direct.layers]).toEqual(['direct', []]);
  const other = await optionsFor({ layers: ['verify', 'plan-each-step'], maxSteps: 3, docs: join(folder, 'docs') });
  expect(other.layers?.at(-1)?.config).toMatchObject({ mode: 'each-step' });
  expect(other.solver?.config).toMatchObject({ maxSteps: 3 });
  expect(names(other.tools)).toContain('searchDocs');
  expect(names(other.tools)).toContain('readDoc');
});

test('a config gives what settings leave open, and settings win', async () => {
  const solver = { name: 'own', config: {}, solve: null };
  const file = config('own.js', { model: 'script:other', tools: [{ name: 'own' }], solver, budget: { tokens: 5 } });
  const taken = await optionsFor({ config: file });
  expect(names(taken.tools)).toEqual(['own']);
  expect(taken).toMatchObject({ solver: { name: 'own' }, layers: [], budget: { tokens: 5 } });
  const changed = await optionsFor({ config: file, solver: 'react', layers: ['verify'] });
  expect([changed.solver?.name, names(changed.layers)]).toEqual(['react', ['verification']]);
});

test('documents named on the command line replace those of the config', async () => {
  const file = config('docs.js', { tools: [{ name: 'searchDocs', old: true }] });
  const options = await optionsFor({ config: file, docs: join(folder, 'docs') });
  expect(names(options.tools)).toEqual(['searchDocs', 'readDoc']);
  expect(options.tools?.[0]).not.toHaveProperty('old');
});

test('allowing an effect allows the lesser ones, and never what a config denies', async () => {
  const file = config('deny.js', { policy: { write: 'deny' } });
  expect((await optionsFor({ allow: 'all' })).policy).toEqual({ write: 'allow', irreversible: 'allow' });
  expect((await optionsFor({ allow: 'write' })).policy).toEqual({ write: 'allow', irreversible: 'ask' });
  expect((await optionsFor({ allow: 'all', config: file })).policy).toEqual({ write: 'deny', irreversible: 'allow' });
});

test('settings that cannot work are refused', async () => {
  await expect(optionsFor({ docs: join(folder, 'none') })).rejects.toThrow(UsageError);
  const file = config('none.js', {});
  await expect(openWorkshop({ config: file }, { home: homeOf(folder) })).rejects.toThrow(/No model is named/);
});
