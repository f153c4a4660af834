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

test('fallbacks stand behind the model in their order, each recorded as it would be', async () => {
  const { model: models } = await optionsFor({ fallbacks: [model, model], record: join(folder, 'record.jsonl') });
  expect(models).toHaveLength(3);
  const named = config('chosen.mjs', { model: { actor: model } });
  await expect(optionsFor({ model: undefined, config: named, fallbacks: [model] })).rejects.toThrow(
    '--fallback needs a model by its id',
  );
});

test('a config may name its models by role, which a model on the command line replaces', async () => {
  const byRole = config('roles.mjs', { models: { actor: model, judge: model } });
  expect((await optionsFor({ model: undefined, config: byRole })).model).toMatchObject({ judge: model });
  expect((await optionsFor({ config: byRole })).model).toMatchObject({ modelId: 'script.json' });
});

test('only models on this machine are taken where the settings or the config say so', async () => {
  expect((await optionsFor({ onlyLocal: true })).onlyLocal).toBe(true);
  const far = { model: 'openai-compatible:https://models.example.org/v1#m' };
  await expect(optionsFor({ ...far, onlyLocal: true })).rejects.toThrow(/Only models on this machine/);
  await expect(optionsFor({ fallbacks: [far.model], onlyLocal: true })).rejects.toThrow(/Only models on this machine/);
  const strict = config('strict.mjs', { model, onlyLocal: true });
  await expect(optionsFor({ ...far, config: strict })).rejects.toThrow(/Only models on this machine/);
});
