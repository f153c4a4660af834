import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameterCount, parametersText } from './parameter-count.ts';

const billions = (name: string): number | undefined => {
  const count = parameterCount(name);
  return count && count.parameters / 1e9;
};

describe('the parameters in a name', () => {
  it.each([
    ['qwen3:4b', 4],
    ['llama3.2:3b', 3],
    ['llama3.2', 3.2],
    ['gemma3:1b', 1],
    ['gemma-3-270m-it', 0.27],
    ['gemma3n:e4b', 4],
    ['phi-4-mini', 3.8],
    ['Phi-3.5-mini-instruct', 3.8],
    ['phi4-mini:latest', 3.8],
    ['Qwen3-0.6B', 0.6],
    ['Qwen/Qwen3-4B-Instruct-2507-GGUF', 4],
    ['unsloth/Qwen3.5-4B-GGUF/Qwen3.5-4B-Q4_K_M.gguf', 4],
    ['hf_unsloth_Qwen3-1.7B.Q8_0.gguf', 1.7],
    ['qwen2.5-7b-instruct-1m', 7],
    ['Meta-Llama-3.1-8B-Instruct', 8],
    ['mistralai/Mistral-7B-Instruct-v0.3', 7],
    ['command-r7b', 7],
    ['LFM2.5-1.2B-Instruct', 1.2],
    ['smollm2:135m', 0.135],
    ['deepseek-r1:1.5b-qwen-distill-q4_K_M', 1.5],
    ['qwen3:30b-a3b', 30],
    ['mixtral:8x7b', 56],
    ['gpt-oss:20b', 20],
    ['yi-34b-200k', 34],
    ['llama3.3:70b-instruct-fp16', 70],
  ])('%s: %d billion', (name, expected) => {
    expect(billions(name)).toBeCloseTo(expected, 6);
  });

  it.each([
    'gpt-5-mini',
    'claude-sonnet-4-6',
    'gemini-2.5-flash',
    'qwen-plus',
    'kimi-k2.5',
    'model-4bit',
    'x-Q4_K_M',
    '',
    'scripted',
  ])('are not told by %j', (name) => {
    expect(parameterCount(name)).toBeUndefined();
  });

  it('says what of a mixture is active, and nothing of the whole where the name does not', () => {
    expect(parameterCount('Qwen3-30B-A3B-Instruct')).toEqual({ parameters: 30e9, active: 3e9 });
    expect(parameterCount('Qwen1.5-MoE-A2.7B')).toBeUndefined();
  });

  const size = fc.oneof(
    fc.integer({ min: 1, max: 700 }),
    fc.integer({ min: 1, max: 99 }).map((tenths) => tenths / 10),
  );
  const before = fc.constantFrom('qwen3:', 'Llama-3.2-', 'org/Some-Model-v2-', 'gemma_', 'x1.5-', 'Q4-');
  const after = fc.constantFrom(
    '',
    '-instruct',
    '-Instruct-Q4_K_M.gguf',
    ':latest',
    '-4bit',
    '-awq',
    '-fp8',
    '-128k',
    '-1m',
    '_q8_0',
    '.gguf',
    '-2507',
  );

  it('are found whatever stands around them', () => {
    fc.assert(
      fc.property(before, size, fc.boolean(), after, (start, count, upper, end) => {
        expect(billions(`${start}${count}${upper ? 'B' : 'b'}${end}`)).toBeCloseTo(count, 6);
      }),
    );
  });

  it('of a mixture are never fewer than those active', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 700 }), fc.integer({ min: 1, max: 9 }), (all, active) => {
        expect(parameterCount(`moe-${all}b-a${active}b`)).toEqual({ parameters: all * 1e9, active: active * 1e9 });
      }),
    );
  });

  it('are a positive number or nothing, for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const count = parameterCount(text);
        if (count) expect(Number.isSafeInteger(count.parameters) && count.parameters > 0).toBe(true);
      }),
    );
  });

  it('read back from their text', () => {
    expect([4e9, 600e6, 135e6, 3.8e9, 70e9].map(parametersText)).toEqual(['4B', '0.6B', '135M', '3.8B', '70B']);
  });
});
