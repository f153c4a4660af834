import { describe, expect, it } from 'vitest';
import { adviseSearch, type SearchAnswers } from './search-gate.ts';

const yes: SearchAnswers = { paths: 'partial', evaluator: 'rules', errorPays: true };

describe('adviseSearch', () => {
  it.each<[string, Partial<SearchAnswers>, string]>([
    ['there is one way only', { paths: 'none' }, 'one obvious way'],
    ['only the model itself would choose', { evaluator: 'self' }, "model's own liking"],
    ['an error is cheap', { errorPays: false }, 'an error costs less'],
  ])('is against search where %s', (_, change, reason) => {
    const advice = adviseSearch({ ...yes, ...change });
    expect(advice).toMatchObject({ use: false, method: 'one-attempt' });
    expect(advice.reasons).toEqual([expect.stringContaining(reason)]);
  });

  it('names every reason against it', () => {
    expect(adviseSearch({ paths: 'none', evaluator: 'self', errorPays: false }).reasons).toHaveLength(3);
  });

  it.each<[Partial<SearchAnswers>, string]>([
    [{}, 'tree-of-thoughts'],
    [{ paths: 'whole', evaluator: 'tests' }, 'reflexion'],
    [{ paths: 'whole', evaluator: 'answers' }, 'self-consistency'],
    [{ evaluator: 'answers' }, 'self-consistency'],
  ])('chooses by what can be judged: %o', (change, method) => {
    expect(adviseSearch({ ...yes, ...change })).toMatchObject({ use: true, method });
  });

  it('says what judges', () => {
    expect(adviseSearch({ ...yes, evaluator: 'another-model' }).reasons[0]).toContain('another model');
  });
});
