import { describe, expect, it } from 'vitest';
import type { Issue, RunEvent } from '../api/shapes.ts';
import { answerVersions } from './answer-versions.ts';

type Body = RunEvent extends infer Event
  ? Event extends RunEvent
    ? Omit<Event, 'id' | 'run' | 'path' | 'at' | 'live'>
    : never
  : never;

let number = 0;
const at = (path: string, body: Body): RunEvent =>
  ({ ...body, id: `${path}:${++number}`, run: 'r', path, at: number, live: true }) as RunEvent;

const issue = (detail: string): Issue => ({ type: 'incomplete', detail, requiredAction: `mend ${detail}` });
const draft = (path: string, answer: string): RunEvent =>
  at(path, { type: 'answer.drafted', answer, claims: 0, degraded: false });
const report = (path: string, by: string): RunEvent =>
  at(path, {
    type: 'verify.report',
    report: { by, knows: 'rules', verdict: 'revise', issues: [], needsMoreTools: false },
  });
const refine = (path: string, detail: string): RunEvent =>
  at(path, { type: 'refine.made', round: 1, issues: [issue(detail)], withTools: true });

describe('the versions of an answer', () => {
  it('are told with the issues that led to each', () => {
    const [chain] = answerVersions([
      draft('', 'one'),
      report('', 'checks'),
      refine('', 'x'),
      draft('', 'two'),
      refine('', 'y'),
      draft('', 'three'),
    ]);
    expect(chain?.versions.map(({ answer, causes }) => [answer, causes.map(({ detail }) => detail)])).toEqual([
      ['one', []],
      ['two', ['x']],
      ['three', ['y']],
    ]);
    expect(chain?.versions.map(({ reports }) => reports.map(({ by }) => by))).toEqual([['checks'], [], []]);
  });

  it('have no issues of a change before the last one', () => {
    const [chain] = answerVersions([draft('', 'one'), refine('', 'x'), draft('', 'two'), draft('', 'three')]);
    expect(chain?.versions.map(({ causes }) => causes.length)).toEqual([0, 1, 0]);
  });

  it('are of each trial and sample on its own', () => {
    const chains = answerVersions([
      draft('samples/0', 'a'),
      draft('samples/1', 'b'),
      refine('samples/1', 'y'),
      refine('samples/0', 'x'),
      draft('samples/0', 'a2'),
      draft('samples/1', 'b2'),
    ]);
    expect(
      chains.map(({ path, versions }) => [path, versions.map(({ answer }) => answer), versions[1]?.causes[0]?.detail]),
    ).toEqual([
      ['samples/0', ['a', 'a2'], 'x'],
      ['samples/1', ['b', 'b2'], 'y'],
    ]);
  });

  it('know the reports and issues of a layer above them', () => {
    const [chain] = answerVersions([
      draft('step-1', 'one'),
      report('', 'verifier:m'),
      refine('', 'x'),
      draft('step-1', 'two'),
    ]);
    expect(chain?.versions[0]?.reports[0]?.by).toBe('verifier:m');
    expect(chain?.versions[1]?.causes[0]?.detail).toBe('x');
  });

  it('do not mistake a place for one whose name begins the same', () => {
    const events = [
      draft('trial-1', 'one'),
      draft('trial-10', 'ten'),
      report('trial-1', 'checks'),
      draft('trial-1', 'two'),
    ];
    expect(answerVersions(events).map(({ versions }) => versions[0]?.reports.length)).toEqual([1]);
  });

  it('are not told where an answer was written once', () => {
    expect(answerVersions([draft('', 'one'), report('', 'checks')])).toEqual([]);
  });
});
