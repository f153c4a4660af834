import { expect, it } from 'vitest';
import { UsageError } from '../../../core/errors.ts';
import { toolSpec } from '../../tool.ts';
import { calculator } from './calculator.ts';

const context = { idempotencyKey: 'key', attempt: 1, signal: new AbortController().signal };

it('states the expression and its value', async () => {
  expect(await calculator().run({ expression: ' 19 *  23 ' }, context)).toBe('19 * 23 = 437');
});

it('says when a value is rounded', async () => {
  expect(await calculator().run({ expression: '1/7' }, context)).toBe(
    '1/7 = 0.14285714285714285714 (rounded to 20 significant digits)',
  );
});

it('fails with the place and the remedy, so that the call is no citable observation', async () => {
  await expect(calculator().run({ expression: '2 + $4' }, context)).rejects.toThrow(UsageError);
  await expect(calculator().run({ expression: '2 + $4' }, context)).rejects.toThrow(/character 5.*numbers only/);
});

it('is a trusted read tool with one required argument', () => {
  const tool = calculator();
  expect(tool).toMatchObject({ name: 'calculator', effect: 'read', trust: 'trusted' });
  expect(toolSpec(tool).inputSchema).toMatchObject({ required: ['expression'] });
  expect(tool.input.safeParse({ expression: '' }).success).toBe(false);
});
