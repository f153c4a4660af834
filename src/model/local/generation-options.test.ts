import { expect, test } from 'vitest';
import { samplingFor } from './generation-options.ts';

const table = { temperature: 0.7, topP: 0.8, topK: 20, minP: 0.05 };
const request = { prompt: [] };

test('a call decides how tokens are chosen, then the table of models, else the likeliest is taken', () => {
  expect(samplingFor(request, table)).toMatchObject(table);
  expect(samplingFor({ ...request, temperature: 0, topK: 1 }, table)).toMatchObject({
    ...table,
    temperature: 0,
    topK: 1,
  });
  expect(samplingFor(request, undefined)).toMatchObject({ temperature: 0, repeatPenalty: false });
  expect(samplingFor(request, undefined)).not.toHaveProperty('topP');
});

test('penalties are the caller’s, without the one that node-llama-cpp would add', () => {
  expect(samplingFor({ ...request, frequencyPenalty: 0.5 }, table)).toMatchObject({
    repeatPenalty: { penalty: 1, frequencyPenalty: 0.5, presencePenalty: 0 },
  });
});

test('there is no budget for thoughts unless they are asked for', () => {
  expect(samplingFor(request, table).budgets).toEqual({ thoughtTokens: 0 });
  expect(samplingFor({ ...request, reasoning: 'none' }, table).budgets).toEqual({ thoughtTokens: 0 });
  expect(samplingFor({ ...request, reasoning: 'medium' }, table).budgets).toEqual({ thoughtTokens: 4_096 });
});
