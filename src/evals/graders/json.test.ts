import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { attemptWith } from '../../testing/attempt.ts';
import type { Grade, Grader } from '../grader.ts';
import { finalState } from './final-state.ts';
import { json } from './json.ts';
import { outputs } from './outputs.ts';

interface Given {
  expected?: Json;
  answer?: string;
  state?: Json;
}

function graded(grader: Grader, { answer, state, ...rest }: Given): Grade {
  const task = { id: 't1', input: 'Book it.', ...rest };
  // They ask nobody, so that they answer at once.
  return grader.grade({ task, answer, state, attempt: attemptWith() }, { step: () => Promise.reject() }) as Grade;
}

describe('json', () => {
  it('compares values, not texts', () => {
    expect(graded(json(), { expected: { a: 1, b: [2] }, answer: '{"b": [2], "a": 1}' }).pass).toBe(true);
    expect(graded(json(), { expected: { a: 1 }, answer: 'Here:\n```json\n{"a": 1}\n```' }).pass).toBe(true);
    expect(graded(json(), { expected: { a: 1 }, answer: '{"a": "1"}' }).why).toBe('answer.a is "1", expected 1');
    expect(graded(json(), { expected: [1, 2], answer: '[2, 1]' }).pass).toBe(false);
  });

  it('lets extra keys pass only as a subset', () => {
    const given = { expected: { a: 1 }, answer: '{"a": 1, "b": 2}' };
    expect(graded(json(), given)).toMatchObject({ pass: false, why: 'answer.b is 2, expected nothing there' });
    expect(graded(json({ match: 'subset' }), given).pass).toBe(true);
    expect(graded(json({ match: 'subset' }), { expected: { a: 1, c: 3 }, answer: given.answer }).pass).toBe(false);
  });

  it('repairs nothing', () => {
    for (const answer of ["{'a': 1}", '{"a": 1,}', '{"a": 1} and so on', '{"a": 1'])
      expect([answer, graded(json(), { expected: { a: 1 }, answer }).pass]).toEqual([answer, false]);
  });

  it('holds the answer to a schema, of the suite a usable one', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    expect(graded(json({ schema }), { answer: '{"a": 1}' }).pass).toBe(true);
    expect(graded(json({ schema }), { answer: '{"a": 1.5}' }).why).toContain('a must be integer');
    expect(() => graded(json(), { answer: '{}' })).toThrow("'t1'");
    expect(() => json({ schema: { $ref: 'http://elsewhere' } })).toThrow('refers to');
  });

  it('survives nesting without end, also under a schema that follows it down', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const schema = { $defs: { list: { items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' };
    expect(graded(json(), { expected: 1, answer: deep }).why).toContain('nested deeper');
    const answer = `${'['.repeat(190)}${']'.repeat(190)}`;
    expect(graded(json({ schema }), { answer }).pass).toBe(false);
  });
});

describe('finalState', () => {
  it('compares the state and names the first difference', () => {
    const expected = { seats: { A1: 'taken' }, log: [1] };
    expect(graded(finalState(), { expected, state: expected, answer: 'I did nothing.' }).pass).toBe(true);
    expect(
      graded(finalState(), { expected, state: { seats: { A1: 'free' }, log: [1, 2] }, answer: 'Booked!' }),
    ).toMatchObject({
      pass: false,
      why: 'seats.A1 is "free", expected "taken"; and 1 more differences',
    });
  });

  it('lets more keys pass only as a subset', () => {
    const given = { expected: { a: 1 }, state: { a: 1, changedAt: 7 } };
    expect(graded(finalState(), given).pass).toBe(false);
    expect(graded(finalState({ match: 'subset' }), given).pass).toBe(true);
  });

  it('asks a function for the state that is right, and fails where none was left', () => {
    const grader = finalState({ expect: ({ id }) => ({ booked: id }) });
    expect(graded(grader, { state: { booked: 't1' } }).pass).toBe(true);
    expect(graded(grader, {}).why).toContain('no state');
    expect(() => graded(finalState(), { state: {} })).toThrow("'t1'");
  });
});

describe('outputs', () => {
  it('finds texts without regard to case and commas, and counts them', () => {
    expect(graded(outputs(['1200', 'Oban']), { answer: 'It is $1,200 to OBAN.' })).toMatchObject({
      pass: true,
      score: 1,
    });
    expect(graded(outputs(['1,200', 'Tiree']), { answer: 'It is 1200.' })).toMatchObject({
      pass: false,
      score: 0.5,
      why: expect.stringContaining('Tiree'),
    });
    expect(graded(outputs(['1']), {}).pass).toBe(false);
  });

  it('takes them from the task, where there may be none', () => {
    expect(graded(outputs(), { expected: { actions: [], outputs: ['17'] }, answer: '17 boats' }).pass).toBe(true);
    expect(graded(outputs(), { expected: { outputs: [] }, answer: '' }).pass).toBe(true);
    expect(() => graded(outputs(), { expected: 'seventeen' })).toThrow("'t1'");
    expect(() => outputs([])).toThrow('at least one');
  });
});
