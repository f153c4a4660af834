import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import type { Grader } from '../grader.ts';
import { exact } from './exact.ts';
import { normalised, wordF1 } from './normalised.ts';

async function graded(grader: Grader, expected: string | number | string[], answer: string | undefined) {
  const task = { id: 't1', input: 'Where does the ferry land?', expected };
  return grader.grade({ task, answer, attempt: attemptWith({ answer }) }, { step: () => Promise.reject(new Error()) });
}

describe('exact', () => {
  it('looks past case, blanks, quotation marks and the full stop, and at nothing else', async () => {
    for (const answer of ['Port Ellen', ' port  ellen. ', '“Port Ellen”', 'PORT\nELLEN'])
      expect(await graded(exact(), 'Port Ellen', answer)).toMatchObject({ pass: true, score: 1 });
    for (const answer of ['Port Ellen, Islay', 'The Port Ellen', 'PortEllen', ''])
      expect(await graded(exact(), 'Port Ellen', answer)).toMatchObject({ pass: false, score: 0 });
  });

  it('takes one of several, and a number as its text', async () => {
    expect(await graded(exact(), ['Port Ellen', 'Port Askaig'], 'port askaig')).toMatchObject({ pass: true });
    expect(await graded(exact(), 12, '12')).toMatchObject({ pass: true });
  });

  it('says what was read and what was expected', async () => {
    expect(await graded(exact(), 'Port Ellen', 'Oban')).toMatchObject({ why: '"Oban", expected "Port Ellen"' });
    expect(await graded(exact(), 'Port Ellen', undefined)).toMatchObject({ why: expect.stringContaining('no answer') });
  });

  it('normalises as it is told, and tells its fingerprint so', async () => {
    const letters = (text: string): string => text.replace(/\P{L}/gu, '');
    const strict = (text: string): string => text;
    expect(await graded(exact({ normalise: letters }), 'Oban', 'O-b-a-n 7')).toMatchObject({ pass: true });
    expect(await graded(exact({ normalise: strict }), 'Oban', 'oban')).toMatchObject({ pass: false });
    expect(exact({ normalise: letters }).config).not.toEqual(exact({ normalise: strict }).config);
  });
});

describe('normalised', () => {
  const em = normalised({ metric: 'em' });

  it('matches without articles, punctuation, case and double blanks', async () => {
    expect(await graded(em, 'The Sound of Islay', 'a sound of  islay!')).toMatchObject({ pass: true, score: 1 });
    expect(await graded(em, 'Sound of Islay', 'Sound of Jura')).toMatchObject({ pass: false, score: 0 });
  });

  it('joins what stood around a hyphen, and finds articles by word', async () => {
    expect(await graded(em, 'co-op', 'coop')).toMatchObject({ pass: true });
    expect(await graded(em, 'thé an', 'thé')).toMatchObject({ pass: true });
    expect(await graded(em, 'éa', 'é')).toMatchObject({ pass: false });
  });

  it('counts words by how often they stand, by hand: 2 of 3 and 2 of 4', () => {
    expect(wordF1('red red boat', 'red boat on land')).toBeCloseTo((2 * (2 / 3) * (2 / 4)) / (2 / 3 + 2 / 4), 12);
    expect(wordF1('boat red', 'red boat')).toBe(1);
    expect(wordF1('boat', 'ferry')).toBe(0);
  });

  it('gives nothing for half of a yes, a no or a noanswer', () => {
    expect(wordF1('yes it does', 'yes')).toBe(0);
    expect(wordF1('no', 'no boat')).toBe(0);
    expect(wordF1('noanswer', 'noanswer')).toBe(1);
  });

  it('takes the best of several, and passes from its threshold on', async () => {
    const half = normalised({ metric: 'f1', threshold: 0.5 });
    expect(await graded(half, ['ferry', 'red boat'], 'red boat today')).toMatchObject({ pass: true, score: 0.8 });
    expect(await graded(normalised({ metric: 'f1' }), 'red boat', 'red boat today')).toMatchObject({ pass: false });
    expect(() => normalised({ metric: 'f1', threshold: 2 })).toThrow('threshold');
    expect(() => normalised({ metric: 'em', threshold: 0.5 })).toThrow('threshold');
  });
});
