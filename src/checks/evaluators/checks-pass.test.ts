import { expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { check } from '../checks.ts';
import { offlineContext } from '../offline.ts';
import { checksPass } from './checks-pass.ts';

const short = check('short', ({ answer = '' }) =>
  answer.length > 3 ? [{ type: 'missed_constraint', detail: 'too long', requiredAction: 'shorten it' }] : [],
);
const task = { input: 'x', constraints: [], checks: [] };
const judged = (answer: string | undefined) =>
  checksPass([short, 'quotes']).evaluate(attemptWith({ answer }), task, offlineContext());

it('passes when no check finds anything, and scores the share that found nothing', async () => {
  expect(await judged('abc')).toMatchObject({ pass: true, score: 1 });
  const { pass, score, feedback } = await judged('abcd');
  expect([pass, score]).toEqual([false, 0.5]);
  expect(feedback).toContain('short: too long Do: shorten it');
});

it('passes no attempt without an answer', async () => {
  expect(await judged(undefined)).toMatchObject({ pass: false, score: 0 });
});

it('refuses no checks and unknown ones', () => {
  expect(() => checksPass([])).toThrow(/at least one check/);
  expect(() => checksPass(['qoutes'])).toThrow(/there is no check 'qoutes'/);
});
