/** What holds for every grader, whatever it is given. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { attemptWith } from '../../testing/attempt.ts';
import type { Grade, Grader } from '../grader.ts';
import { choice } from './choice.ts';
import { exact } from './exact.ts';
import { finalState } from './final-state.ts';
import { game24 } from './game24.ts';
import { json } from './json.ts';
import { label } from './label.ts';
import { normalised } from './normalised.ts';
import { numeric } from './numeric.ts';
import { outputs } from './outputs.ts';
import { pythonLiteral } from './python-literal.ts';
import { set } from './set.ts';

interface Tried {
  grader: Grader;
  expected: Json;
  misfit: Json | undefined;
  input?: string;
}

const tried: Tried[] = [
  { grader: exact(), expected: 'the red boat', misfit: {} },
  { grader: normalised({ metric: 'em' }), expected: 'the red boat', misfit: [''] },
  { grader: normalised({ metric: 'f1' }), expected: ['red', 'boat'], misfit: null },
  { grader: numeric(), expected: 42, misfit: 'many' },
  { grader: numeric({ units: true }), expected: '42 km', misfit: 42 },
  { grader: choice(), expected: 'B', misfit: 'boat', input: 'Which? (A) one (B) two' },
  { grader: label(['yes', 'no']), expected: 'yes', misfit: 'perhaps' },
  { grader: set(), expected: ['red', 'boat'], misfit: 'red, boat' },
  { grader: set({ order: true }), expected: [1, 2], misfit: [''] },
  { grader: json(), expected: { a: 1 }, misfit: undefined },
  { grader: json({ schema: { type: 'object' }, match: 'subset' }), expected: { a: 1 }, misfit: undefined },
  { grader: outputs(), expected: ['red boat'], misfit: [1] },
  { grader: game24(), expected: 24, misfit: 25, input: '1 2 3 4' },
  { grader: pythonLiteral(), expected: '[1, 2]', misfit: 'f(x)' },
];

function graded({ grader, expected, input = 'Which boat?' }: Tried, answer: string | undefined): Grade {
  const task = { id: 'harbour-7', input, expected };
  // None of them asks anybody, so that they answer at once.
  return grader.grade({ task, answer, attempt: attemptWith({ answer }) }, { step: () => Promise.reject() }) as Grade;
}

const pieces = fc.constantFrom(
  ...[
    'not',
    'or',
    'and',
    '42',
    '-5',
    '1.234,50',
    '%',
    'B',
    '(A)',
    'answer is',
    '####',
    '\\boxed{',
    '}',
    '```',
    '\n',
    '"',
    "'",
    '[',
  ],
  ...[
    '{',
    ':',
    ',',
    '12',
    'e999',
    '½',
    '七',
    '答案是',
    '10^',
    '/',
    '=',
    '\ud800',
    '\u0000',
    'yes',
    'é',
    '👩‍🚀',
    'km/h',
    '**',
    '\\frac{1}{0}',
  ],
);
const anyAnswer = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(' ')),
  fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
);

describe('every grader', () => {
  it('grades whatever is answered, and throws for none of it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...tried), anyAnswer, (one, answer) => {
        const { pass, score, why } = graded(one, answer);
        expect(score >= 0 && score <= 1).toBe(true);
        expect(!pass || score > 0).toBe(true);
        expect(why).toMatch(/^[^\n]+$/);
        expect(why.isWellFormed()).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  it('passes no empty answer', () => {
    for (const one of tried)
      for (const answer of [undefined, '', ' \n\t', '\u00a0'])
        expect([one.grader.name, graded(one, answer)]).toMatchObject([one.grader.name, { pass: false }]);
  });

  it('grades a megabyte of anything within a second', () => {
    const alone = ['a', ' ', '\n', '1', '.', '"', '[', '`', '*', '(', '-', '=', '~', '，', '七', '\ud800'];
    const words = ['1,', '1 ', '1/', '\\"', '```\n', 'or ', 'answer ', 'answer is ', '答案', 'B ', '{"a":', 'not B'];
    // Up to the size that the graders of lists and literals still read, and the whole of it.
    for (const one of tried)
      for (const seed of [...alone, ...words, 'yes ', '\\boxed{', "''' ", '<<'])
        for (const size of [99_000, 1_000_000]) {
          const from = performance.now();
          graded(one, `${seed.repeat(size / seed.length)}x`);
          expect([one.grader.name, seed, size, performance.now() - from < 1000]).toEqual([
            one.grader.name,
            seed,
            size,
            true,
          ]);
        }
  }, 60_000);

  it('blames an expected value that it cannot use on the suite, and names the task', () => {
    for (const one of tried)
      if (one.misfit !== undefined) {
        const { misfit: expected } = one;
        expect(() => graded({ ...one, expected }, 'x')).toThrow(UsageError);
        expect(() => graded({ ...one, expected }, 'x')).toThrow("'harbour-7'");
      }
    expect(() =>
      finalState().grade(
        { task: { id: 'harbour-7', input: 'x' }, answer: 'x', attempt: attemptWith(), state: {} },
        { step: () => Promise.reject() },
      ),
    ).toThrow("'harbour-7'");
  });
});
