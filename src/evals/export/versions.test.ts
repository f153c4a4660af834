import { describe, expect, it } from 'vitest';
import type { Report } from '../../core/attempt.ts';
import type { EventBody, RunEvent } from '../../core/event.ts';
import { gradedVerdict, verdictOf } from './verdicts.ts';
import { gradedAnswers, judgedAnswers } from './versions.ts';

let counted = 0;
const at = (path: string, body: EventBody): RunEvent => ({
  ...body,
  id: `${counted++}`,
  run: 'r',
  path,
  at: 0,
  live: true,
});

const drafted = (path: string, answer: string, degraded = false): RunEvent =>
  at(path, { type: 'answer.drafted', answer, claims: 0, degraded });

const reportWith = (change: Partial<Report>): Report => ({
  by: 'checks',
  knows: 'rules',
  verdict: 'pass',
  issues: [],
  needsMoreTools: false,
  ...change,
});

const issue = (detail: string): Report['issues'] => [{ type: 'failed_check', detail, requiredAction: 'mend it' }];
const reported = (path: string, change: Partial<Report>): RunEvent =>
  at(path, { type: 'verify.report', report: reportWith(change) });

const trialEnd = (path: string, pass: boolean): RunEvent =>
  at(path, {
    type: 'trial.end',
    trial: 1,
    by: 'evaluator:tests',
    knows: 'tests',
    pass,
    score: pass ? 1 : 0.4,
    feedback: '',
  });

const short = (events: RunEvent[]): unknown[] =>
  judgedAnswers(events).map(({ answer, verdict }) => [answer, verdict?.pass, verdict?.by]);

describe('the judged answers of a run', () => {
  it('are drafts with the report that came after each, from a layer at the same place or above', () => {
    const events = [
      drafted('samples/0', 'one'),
      reported('', { verdict: 'revise' }),
      drafted('samples/0', 'two'),
      reported('samples/0', { verdict: 'pass' }),
      drafted('other', 'three'),
    ];
    expect(short(events)).toEqual([
      ['one', false, 'checks'],
      ['two', true, 'checks'],
    ]);
  });

  it('do not take the report of another branch', () => {
    expect(short([drafted('samples/10', 'one'), reported('samples/2', {}), reported('samples/1', {})])).toEqual([]);
  });

  it('have the winner of a vote, not the sample that was drawn last', () => {
    const vote = at('', { type: 'vote.made', votes: [], winner: 'one', by: 'majority', stoppedEarly: false });
    expect(short([drafted('samples/0', 'one'), drafted('samples/1', 'two'), vote, reported('', {})])).toEqual([
      ['one', true, 'checks'],
    ]);
  });

  it('have the verdict of a trial that made one answer, and leave one with several alone', () => {
    const events = [
      drafted('trial-1', 'one'),
      trialEnd('trial-1', false),
      drafted('trial-2', 'two'),
      drafted('trial-2', 'three'),
      trialEnd('trial-2', true),
      drafted('trial-10', 'four'),
      trialEnd('trial-10', true),
    ];
    expect(short(events)).toEqual([
      ['one', false, 'evaluator:tests'],
      ['four', true, 'evaluator:tests'],
    ]);
  });

  it('leave out what a limit forced', () => {
    expect(short([drafted('', 'forced', true), reported('', {})])).toEqual([]);
  });
});

describe('the graded answers of a run', () => {
  const say = (pass: boolean): ReturnType<typeof gradedVerdict> =>
    gradedVerdict({ pass, score: Number(pass) }, [{ name: 'exact', knows: 'reference' }]);
  const events = [drafted('a', 'one'), drafted('b', 'other'), drafted('a', 'two')];
  const graded = (versions: boolean[][]): unknown[] =>
    gradedAnswers(events, versions, say).map(({ answer, verdict }) => [answer, verdict?.pass]);

  it('are told apart by their place', () => {
    expect(graded([[false, true]])).toEqual([
      ['one', false],
      ['two', true],
    ]);
  });

  it('are none where the grades are not as many as the answers', () => {
    expect(graded([[false, true, true]])).toEqual([]);
    expect(graded([[false, true], [true]])).toEqual([]);
    expect(graded([])).toEqual([]);
  });
});

describe('a verdict', () => {
  it('is worth what the judge knows who knows most, among those of one mind', () => {
    const reports = [reportWith({}), reportWith({ by: 'verifier:m', knows: 'self' })];
    expect(verdictOf(reports)).toMatchObject({ pass: true, by: 'checks', knows: 'rules' });
    const objected = [reportWith({}), reportWith({ by: 'verifier:m', knows: 'self', verdict: 'revise' })];
    expect(verdictOf(objected)).toMatchObject({ pass: false, by: 'verifier:m', knows: 'self' });
  });

  it('is none where the last judge could not be asked', () => {
    expect(verdictOf([reportWith({}), reportWith({ verdict: 'unchecked' })])).toBeUndefined();
    expect(verdictOf([])).toBeUndefined();
  });

  it('does not pass on what a judge with the reference said', () => {
    const told = (knows: Report['knows']): string | undefined =>
      verdictOf([reportWith({ knows, verdict: 'fail', issues: issue('it is 41') })])?.feedback;
    expect(told('rules')).toBe('it is 41');
    expect(told('reference')).toBeUndefined();
  });

  it('of several graders is worth what the one knows who knows least', () => {
    const graders = [
      { name: 'unit', knows: 'tests' },
      { name: 'rubric', knows: 'another-model' },
    ] as const;
    expect(gradedVerdict({ pass: true, score: 1 }, graders)).toMatchObject({
      by: 'unit, rubric',
      knows: 'another-model',
    });
    expect(gradedVerdict({ pass: true, score: 1 }, [])).toBeUndefined();
  });
});
