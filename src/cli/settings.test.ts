import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { parseLayers, portableModelId, type Settings, settingsJson } from './settings.ts';
import { storedSettings } from './stored-settings.ts';

test('layers are taken in any order and kept in the one in which they work', () => {
  expect(parseLayers('plan, verify,lessons')).toEqual(['lessons', 'verify', 'plan']);
  expect(parseLayers('none')).toEqual([]);
});

test.each(['', 'verfy', 'plan,none', 'plan,plan-each-step'])(
  'the layers "%s" are refused with what there is',
  (list) => {
    expect(() => parseLayers(list)).toThrow(UsageError);
    expect(() => parseLayers(list)).toThrow(/plan/);
  },
);

test('settings survive being stored with a run', () => {
  const models = { model: 'script:/x.json', fallbacks: ['ollama:qwen3:4b'], onlyLocal: true };
  const settings: Settings = { ...models, layers: ['verify'], maxSteps: 3, docs: undefined };
  const stored = settingsJson(settings);
  expect(stored).toEqual({ ...models, layers: ['verify'], maxSteps: 3 });
  expect(storedSettings('r', { task: {}, settings: JSON.parse(JSON.stringify(stored)) })).toEqual(stored);
});

test('a run of another program is refused with the remedy', () => {
  expect(() => storedSettings('r1', { task: {} })).toThrow(
    /not started by this command line.*Resume it from the program/,
  );
  expect(() => storedSettings('r1', { settings: { solver: 'other' } })).toThrow(UsageError);
});

test('the files in a model id mean the same in every directory', () => {
  expect(portableModelId('script:a.json')).toBe(`script:${resolve('a.json')}`);
  expect(portableModelId(' replay:/b.jsonl ')).toBe('replay:/b.jsonl');
  expect(portableModelId('openai:gpt-5-mini')).toBe('openai:gpt-5-mini');
});
