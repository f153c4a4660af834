import { describe, expect, it } from 'vitest';
import { judge } from '../../checks/evaluators/judge.ts';
import { exactReference } from '../../checks/evaluators/reference.ts';
import { offlineContext } from '../../checks/offline.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { fromCheck, fromEvaluator } from './from-evaluator.ts';

const task = { id: 't1', input: 'Where?', expected: 'Oban', constraints: ['one word'] };

describe('fromEvaluator', () => {
  it('grades by an evaluator, with the answer that is graded', async () => {
    const grader = fromEvaluator(exactReference('Oban'), { reads: 'answer' });
    expect(grader).toMatchObject({ name: 'oracle:exact', knows: 'reference', reads: 'answer' });
    const attempt = attemptWith({ answer: 'Tiree' });
    expect(await grader.grade({ task, answer: 'oban', attempt }, offlineContext())).toMatchObject({
      pass: true,
      score: 1,
    });
    expect(await grader.grade({ task, answer: undefined, attempt }, offlineContext())).toMatchObject({ pass: false });
  });

  it('asks a function for the evaluator of a task, and has to be told what those know', async () => {
    const byTask = ({ expected }: { expected?: unknown }) => exactReference(String(expected));
    const grader = fromEvaluator(byTask, { knows: 'reference' });
    expect(await grader.grade({ task, answer: 'Oban', attempt: attemptWith() }, offlineContext())).toMatchObject({
      pass: true,
    });
    expect(() => fromEvaluator(byTask)).toThrow('knows');
  });

  it('refuses an evaluator that only a run can ask', () => {
    expect(() => fromEvaluator(judge({ rubric: ['is short'] }))).toThrow('rubric');
  });
});

describe('fromCheck', () => {
  it('passes where the check finds nothing, given as a name or as itself', async () => {
    const short = {
      name: 'short',
      run: ({ answer = '' }) =>
        answer.length < 9
          ? []
          : [{ type: 'failed_check' as const, detail: 'too long\nby far', requiredAction: 'cut it' }],
    };
    const grade = (answer: string | undefined) =>
      fromCheck(short).grade({ task, answer, attempt: attemptWith() }, offlineContext());
    expect(await grade('Oban')).toMatchObject({ pass: true });
    expect(await grade('Oban, by the sea')).toMatchObject({
      pass: false,
      why: expect.stringMatching(/^[^\n]*too long/),
    });
    expect(await grade(undefined)).toMatchObject({ pass: false });
    expect(fromCheck('evidence')).toMatchObject({ name: 'check:evidence', knows: 'rules', reads: 'attempt' });
    expect(() => fromCheck('no-such-check')).toThrow('no-such-check');
  });
});
