import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { offlineContext } from '../offline.ts';
import { exactReference, normalAnswer, numericReference } from './reference.ts';

const task = { input: 'which river', constraints: [], checks: [] };
const passes = async (evaluator: ReturnType<typeof exactReference>, answer: string): Promise<boolean> =>
  (await evaluator.evaluate(attemptWith({ answer }), task, offlineContext())).pass;

describe('exactReference', () => {
  it.each([
    ['Oder', true],
    [' “oder.” ', true],
    ['ＯＤＥＲ', true],
    ['the Oder', false],
    ['Oder-Spree', false],
    ['1.5', false],
  ])('judges %o: %o', async (answer, right) => {
    expect(await passes(exactReference('Oder'), answer)).toBe(right);
  });

  it('takes one of several references, and a normalisation of the caller', async () => {
    expect(await passes(exactReference(['Oder', 'Odra']), 'odra')).toBe(true);
    const articles = { normalise: (text: string) => normalAnswer(text).replace(/^the /, '') };
    expect(await passes(exactReference('Oder', articles), 'The Oder')).toBe(true);
  });

  it('says that it is an oracle, and never the reference', async () => {
    const evaluator = exactReference('Oder');
    expect(evaluator).toMatchObject({ name: expect.stringContaining('oracle'), knows: 'reference' });
    const { feedback } = await evaluator.evaluate(attemptWith({ answer: 'Elbe' }), task, offlineContext());
    expect(feedback).toContain('oracle');
    expect(feedback).not.toContain('Oder');
  });

  it('finds the reference in a text as words, unless the task offers it', () => {
    const evaluator = exactReference('Havel');
    expect(evaluator.reveals('Answer with "Havel".', task)).toBe(true);
    expect(evaluator.reveals('Havelland is a region', task)).toBe(false);
    expect(evaluator.reveals('Havel', { ...task, input: 'Havel or Spree?' })).toBe(false);
    expect(exactReference('长江').reveals('应回答长江。', task)).toBe(false);
    expect(exactReference('长江三峡').reveals('应回答长江三峡。', task)).toBe(true);
  });

  it('needs a reference', () => {
    expect(() => exactReference('  ')).toThrow(/empty/);
    expect(() => exactReference([])).toThrow(/empty/);
  });
});

describe('numericReference', () => {
  it.each([
    [1234.5, 'The total is 1,234.50 euros.', true],
    [1234.5, '1234.5', true],
    [-3, 'It falls by 4 to -3', true],
    [-3, 'It is −3.', true],
    [3, 'It is -3', false],
    [12, 'between 10-12', true],
    [1_200_000, 'about 1.2 million', true],
    [42, 'first 42, no: 41', false],
    [42, 'none', false],
    [1500, '1.5e3', true],
  ])('judges for %d the answer %o: %o', async (expected, answer, right) => {
    expect(await passes(numericReference(expected), answer)).toBe(right);
  });

  it('allows the larger of the two tolerances', async () => {
    expect(await passes(numericReference(200, { relative: 0.01 }), '202')).toBe(true);
    expect(await passes(numericReference(200, { relative: 0.01 }), '202.1')).toBe(false);
    expect(await passes(numericReference(200, { tolerance: 5, relative: 0.01 }), '204')).toBe(true);
  });

  it('finds the reference in a text, unless the task states it', () => {
    const evaluator = numericReference(42);
    expect(evaluator.reveals('the result must be 42', task)).toBe(true);
    expect(evaluator.reveals('the result must be 41', task)).toBe(false);
    expect(evaluator.reveals('42', { ...task, input: 'is it 42?' })).toBe(false);
  });

  it('refuses what is no number', () => {
    expect(() => numericReference(Number.NaN)).toThrow(/finite/);
    expect(() => numericReference(1, { tolerance: -1 })).toThrow(/at least 0/);
  });
});
