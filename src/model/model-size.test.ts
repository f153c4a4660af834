import { describe, expect, it } from 'vitest';
import type { ModelTraits } from './capability.ts';
import { describeModelSize, describeSizes, modelSize, sizeIn, sizesOf } from './model-size.ts';
import { scriptedModel } from './providers/script-model.ts';

const model = (modelId: string, traits: ModelTraits = {}, provider = 'ollama') => ({ provider, modelId, ...traits });

describe('modelSize', () => {
  it.each([
    ['qwen3:4b', true],
    ['mistral:7b', true],
    ['llama3.1:8b', false],
    ['qwen3:30b-a3b', false],
    ['some-model', false],
  ])('by the name %s: %s', (name, small) => {
    expect(modelSize(model(name))).toMatchObject({ small });
  });

  it.each(['gpt-5-mini', 'gpt-4b', 'claude-3b', 'google/gemini-1.5-flash-8b', 'gemini-1.5-flash-4b', 'o4-mini'])(
    'never takes the vendor model %s for a small one',
    (name) => {
      expect(modelSize(model(name, {}, 'openrouter')).small).toBe(false);
    },
  );

  it('asks the adapter before the name', () => {
    expect(modelSize(model('mystery', { parameters: 3e9 }))).toMatchObject({ small: true, why: '3B parameters' });
    expect(modelSize(model('qwen3:4b', { parameters: 14e9 })).small).toBe(false);
    expect(modelSize(model('qwen3:4b', { small: false })).small).toBe(false);
    expect(modelSize(model('huge:70b', { small: true })).small).toBe(true);
  });

  it('takes any model with a short context for a small one', () => {
    expect(modelSize(model('llama3.3:70b', { contextTokens: 4_096 }))).toMatchObject({
      small: true,
      contextTokens: 4_096,
    });
    expect(modelSize(model('llama3.3:70b', { contextTokens: 32_768 })).small).toBe(false);
  });

  it('lets the user have the last word', () => {
    expect(modelSize(model('qwen3:4b', { contextTokens: 2_048 }), false).small).toBe(false);
    expect(modelSize(model('gpt-5'), true).small).toBe(true);
  });

  it('does not read names that people gave to scripts, functions and recordings', () => {
    for (const source of ['scripted', 'function', 'command', 'replayed'] as const) {
      expect(modelSize(model('qwen3:4b', { source })).small).toBe(false);
    }
  });

  it('forces calls only where the mode is on and the model knows calls', () => {
    expect(modelSize(model('qwen3:4b', { forcesCalls: true })).forcesCalls).toBe(true);
    expect(modelSize(model('qwen3:32b', { forcesCalls: true })).forcesCalls).toBeUndefined();
    expect(modelSize(model('qwen3:4b', { forcesCalls: true, textOnly: true })).forcesCalls).toBeUndefined();
  });
});

describe('the sizes a run is stored with', () => {
  const large = scriptedModel([]);
  const small = { ...scriptedModel([]), small: true, contextTokens: 4_096 };

  it('are none where they change nothing', () => {
    expect(sizesOf({ of: () => large })).toBeUndefined();
  });

  it('are by role where roles have models of their own', () => {
    const sizes = sizesOf({ of: (role) => (role === 'verifier' ? large : small) });
    expect(Object.keys(sizes ?? {})).toEqual(['actor', 'verifier']);
    expect([sizeIn(sizes, 'planner')?.small, sizeIn(sizes, 'verifier')?.small]).toEqual([true, false]);
    expect(JSON.parse(JSON.stringify(sizes))).toEqual(sizes);
    expect(describeSizes(sizes)).toBe('small-model mode: its adapter says so; context 4,096 tokens');
    const others = sizesOf({ of: (role) => (role === 'judge' ? small : large) });
    expect(describeSizes(others)).toBe('judge: small-model mode: its adapter says so; context 4,096 tokens');
  });
});

describe('describeModelSize', () => {
  it('says the mode and what decided', () => {
    expect(describeModelSize(modelSize(model('qwen3:30b-a3b', { contextTokens: 32_768 })))).toBe(
      'full prompts: 30B parameters by its name, 3B of them active; context 32,768 tokens',
    );
    expect(describeModelSize(modelSize(model('qwen3:4b')))).toBe(
      'small-model mode: 4B parameters by its name; context not known',
    );
    expect(describeModelSize(modelSize(model('mine', { parameters: 1e9, small: true, contextTokens: 4_096 })))).toBe(
      'small-model mode: its adapter says so; 1B parameters; context 4,096 tokens',
    );
  });
});
