import { describe, expect, it } from 'vitest';
import type { Attempt, Observation } from '../../core/attempt.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { failureLayers } from '../findings.ts';
import type { FailedRun } from './failed-run.ts';
import { triageRules } from './rules.ts';
import { rowOf, selectionTable } from './selection-table.ts';
import { triage, triageAll } from './triage.ts';

const seen = (number: number, content: string, change: Partial<Observation> = {}): Observation => ({
  id: `obs-${number}`,
  path: '',
  tool: 'lookup',
  args: { query: 'harbour depth' },
  status: 'ok',
  content,
  trust: 'untrusted',
  ...change,
});

const failed = (attempt: Partial<Attempt>, change: Partial<FailedRun> = {}): FailedRun => ({
  runId: 'r1',
  task: { id: 't1', input: 'How deep is the harbour of Lund?', expected: '41 m' },
  attempt: attemptWith(attempt),
  events: [],
  ...change,
});

describe('the table of rules', () => {
  it('has unique names, and layers that agree with the selection table', () => {
    expect(new Set(triageRules.map(({ name }) => name)).size).toBe(triageRules.length);
    for (const { name, layer, symptom } of triageRules) expect(rowOf(symptom).layer, name).toBe(layer);
  });

  it('has a row for every layer, and no row that nothing asks for but what triageAll adds', () => {
    expect(new Set(selectionTable.map(({ layer }) => layer))).toEqual(new Set(failureLayers));
    const asked = new Set(triageRules.map(({ symptom }) => symptom));
    expect(selectionTable.map(({ symptom }) => symptom).filter((symptom) => !asked.has(symptom))).toEqual([
      'same-error-again',
    ]);
  });
});

describe('triage', () => {
  it('says what it does not know, and guesses no cause', () => {
    const label = triage(failed({ answer: 'fine' }, { task: { id: 't1', input: 'Book the room.' }, events: [] }));
    const open = triage(
      failed({ answer: 'done', observations: [seen(1, 'booked')] }, { task: { id: 't1', input: 'Book the room.' } }),
    );
    expect(label.rule).toBe('nothing-looked-up');
    expect(open).toMatchObject({ by: 'nobody', rule: 'none' });
  });

  it('tells an outage of the provider from a request that the model cannot take', () => {
    const broke = (detail: string) => triage(failed({ ended: { type: 'fault', fault: 'model-error', detail } })).layer;
    expect(broke('The provider failed (500). Try again later, or use another model.')).toBe('environment');
    expect(broke('The provider limits the rate of calls (429).')).toBe('environment');
    expect(broke('The request is longer than the model accepts (400).')).toBe('model');
    expect(broke('The content filter of the provider refused the request (400).')).toBe('model');
  });

  it('tells a run that broke from one that was interrupted, and both from an outage', () => {
    const ended = { type: 'limit', limit: 'interrupted', detail: 'the attempt was not finished' } as const;
    const label = (change: Partial<FailedRun>) => triage(failed({ ended }, change));
    expect(label({ error: 'TypeError: x is undefined' })).toMatchObject({
      rule: 'interrupted',
      evidence: [{ where: 'error' }],
    });
    expect(label({ status: 'cancelled' })).toMatchObject({ rule: 'interrupted', evidence: [{ where: 'status' }] });
    expect(label({ error: 'The provider is overloaded (503).' }).rule).toBe('provider-failed');
  });

  it('tells a loop on a wrong call from a tool that is down', () => {
    const loop = (content: string) =>
      triage(
        failed({ observations: [1, 2, 3].map((number) => seen(number, content, { status: 'error' })), answer: '7 m' }),
      );
    expect(loop('no such column: deph')).toMatchObject({ layer: 'act', rule: 'tool-error-loop' });
    expect(loop('connect ECONNREFUSED')).toMatchObject({ layer: 'environment', rule: 'tool-unreachable' });
  });

  it('does not blame an outage that was got over', () => {
    const observations = [seen(1, 'HTTP 503', { status: 'error' }), seen(2, 'Lund: 41 m\nMalmo: 36 m')];
    expect(triage(failed({ observations, answer: '36 m' }))).toMatchObject({ layer: 'act', rule: 'wrong-value-taken' });
    const mended = [seen(1, 'HTTP 503', { status: 'error' }), seen(2, 'Malmo: 36 m')];
    expect(triage(failed({ observations: mended, answer: '36 m' })).layer).toBe('act');
    const open = [seen(1, 'HTTP 503', { status: 'error' }), seen(2, 'Malmo: 36 m', { args: { query: 'Malmo' } })];
    expect(triage(failed({ observations: open, answer: '36 m' })).layer).toBe('environment');
  });

  it('tells a value of another row from one that stands nowhere', () => {
    const observations = [seen(1, 'Lund: 41 m\nMalmo: 36 m')];
    expect(triage(failed({ observations, answer: '36 m' })).layer).toBe('act');
    const nowhere = triage(failed({ observations, answer: '55 m' }));
    expect(nowhere).toMatchObject({ layer: 'verify', rule: 'answer-against-evidence' });
    expect(nowhere.evidence).toContainEqual({ where: 'obs-1', text: 'Lund: 41 m' });
  });

  it('blames the verifier for a wrong computation only if it let it pass', () => {
    const answer = '6 * 7 = 43';
    const observations = [seen(1, '6 rows of 7')];
    const report = {
      by: 'verifier:m',
      knows: 'self' as const,
      verdict: 'pass' as const,
      issues: [],
      needsMoreTools: false,
    };
    expect(triage(failed({ answer, observations })).rule).toBe('wrong-computation');
    expect(triage(failed({ answer, observations, reports: [report] })).rule).toBe('passed-wrong-computation');
  });

  it('blames the plan for a dropped condition, and the check where the plan had it', () => {
    const task = {
      id: 't1',
      input: 'How deep is it?',
      constraints: ['The answer must include "at low tide"'],
      expected: '41',
    };
    const observations = [seen(1, '41 m')];
    const plan = {
      goal: 'depth',
      constraints: [] as string[],
      givens: [],
      effects: [],
      steps: [{ id: 's1', objective: 'look', needsExternalInfo: true, successCondition: '', status: 'done' as const }],
    };
    const label = (constraints: string[]) =>
      triage(failed({ answer: 'It is 41', observations, plan: { ...plan, constraints } }, { task }));
    expect(label([])).toMatchObject({ layer: 'decompose', rule: 'constraint-missed' });
    expect(label(['include "at low tide"'])).toMatchObject({ layer: 'verify', rule: 'constraint-unchecked' });
  });

  it('compares the calls with those that the task expects', () => {
    const expected = { actions: [{ name: 'book', args: { seat: '4A', bags: 1 } }] };
    const task = { id: 't1', input: 'Book seat 4A.', expected };
    const label = (args: unknown, tool = 'book') =>
      triage(failed({ answer: 'done', observations: [seen(1, 'booked', { tool, args })] }, { task }));
    expect(label({ seat: '4B', bags: 1 })).toMatchObject({
      layer: 'act',
      rule: 'wrong-arguments',
      evidence: [
        { where: 'obs-1', text: 'seat: "4B"' },
        { where: 'task.expected', text: 'seat: "4A"' },
      ],
    });
    expect(label({ seat: '4A' }, 'find')).toMatchObject({ layer: 'act', rule: 'needed-call-missing' });
    expect(label({ bags: 1, seat: '4A' }).by).toBe('nobody');
    const noCall = { ...task, expected: { actions: [] } };
    const cancelled = seen(1, 'cancelled', { tool: 'cancel_booking', args: { seat: '4A' } });
    expect(triage(failed({ answer: 'done', observations: [cancelled] }, { task: noCall })).rule).toBe(
      'call-not-asked-for',
    );
    expect(triage(failed({ answer: 'done', observations: [seen(1, 'free')] }, { task: noCall })).by).toBe('nobody');
  });

  it('tells a lesson that misled from one that named the error', () => {
    const lesson = (text: string) =>
      triage(
        failed(
          { answer: '36 m', observations: [seen(1, 'Lund: 41 m')] },
          { lessons: [{ id: 'l1', trigger: '', lesson: text }] },
        ),
      ).rule;
    expect(lesson('The harbour of Lund is 36 m deep.')).toBe('lesson-misled');
    expect(lesson('I assumed 36 m, which was wrong.')).toBe('lesson-unheeded');
    expect(lesson('Quote the source.')).toBe('answer-against-evidence');
  });
});

describe('triageAll', () => {
  const loop = (runId: string, at: number, change: Partial<FailedRun> = {}): FailedRun => {
    const event = { run: runId, path: '', live: true };
    return failed(
      {
        answer: '7 m',
        observations: [1, 2, 3].map((number) => seen(number, `no such column: deph (line ${at})`, { status: 'error' })),
      },
      {
        runId,
        task: { id: runId, input: 'How deep is it?', expected: '41 m' },
        events: [
          { ...event, id: ':run.warning#1', type: 'run.warning', why: '', at },
          { ...event, id: ':run.warning#2', type: 'run.warning', why: '', at: at + 5 },
        ],
        ...change,
      },
    );
  };
  const layers = async (runs: FailedRun[]) => (await triageAll(runs)).labels.map(({ layer }) => layer);

  it('calls an error of a tool that an earlier run had met the same error again', async () => {
    expect(await layers([loop('a', 0), loop('b', 10)])).toEqual(['act', 'memory']);
  });

  it('does not where the runs went side by side, had a lesson, or belong to two configurations', async () => {
    expect(await layers([loop('a', 0), loop('b', 3)])).toEqual(['act', 'act']);
    expect(
      await layers([loop('a', 0), loop('b', 10, { lessons: [{ id: 'l', trigger: '', lesson: 'Check names.' }] })]),
    ).toEqual(['act', 'act']);
    expect(await layers([loop('a', 0, { configuration: 'x' }), loop('b', 10, { configuration: 'y' })])).toEqual([
      'act',
      'act',
    ]);
  });

  it('does not take repeats of one task for a history', async () => {
    const wrong = (repeat?: number) =>
      failed({ answer: '36 m', observations: [seen(1, 'Lund: 41 m, Malmo: 36 m')] }, { repeat });
    expect(await layers([wrong(1), wrong(2)])).toEqual(['act', 'act']);
    expect(await layers([wrong(), wrong()])).toEqual(['act', 'memory']);
  });

  it('counts by layer, and puts first what most failures ask for', async () => {
    const summary = await triageAll([
      failed({ answer: '36 m', observations: [seen(1, 'Lund: 41 m\nMalmo: 36 m')] }),
      failed(
        { answer: '55 m', observations: [seen(1, 'Lund: 41 m')] },
        { runId: 'r2', task: { id: 't2', input: 'Depth?', expected: '41 m' } },
      ),
      failed(
        { answer: '56 m', observations: [seen(1, 'Lund: 41 m')] },
        { runId: 'r3', task: { id: 't3', input: 'Depth?', expected: '41 m' } },
      ),
    ]);
    expect(summary.layers.filter(({ count }) => count > 0)).toEqual([
      { layer: 'act', count: 1 },
      { layer: 'verify', count: 2 },
    ]);
    expect(summary.remedies[0]).toMatchObject({ symptom: 'no-evidence', count: 2 });
    expect(summary.unknown).toBe(0);
  });

  it('has no count for what nobody knows', async () => {
    const unknown = failed(
      { answer: 'done', observations: [seen(1, 'booked')] },
      { task: { id: 't1', input: 'Book.' } },
    );
    expect(await triageAll([unknown])).toMatchObject({ unknown: 1, remedies: [], byModel: 0 });
  });
});
