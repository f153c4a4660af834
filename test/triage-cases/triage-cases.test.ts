import { describe, expect, it } from 'vitest';
import { failureLayers } from '../../src/evals/findings.ts';
import { triage, triageAll } from '../../src/evals/triage/triage.ts';
import { causes, type LabelledRun, labelledRuns } from './generate.ts';

/** Seeds that the rules were not written with; `dev` was. */
const heldOut = ['held-out-a', 'held-out-b', 'held-out-c'];
const least = 0.9;

interface Judged extends LabelledRun {
  said: string;
  rule: string;
}

function judged(seed: string, each: number): Judged[] {
  return labelledRuns(seed, each).map((one) => {
    const { layer, by, rule } = triage(one.run);
    return { ...one, said: by === 'nobody' ? 'unknown' : layer, rule };
  });
}

/** True layers down, said ones across, and every miss. */
function confusion(all: readonly Judged[]): string {
  const columns = [...failureLayers, 'unknown'];
  const rows = failureLayers.map((layer) => [
    layer,
    ...columns.map((said) => String(all.filter((one) => one.layer === layer && one.said === said).length)),
  ]);
  const lines = [['true \\ said', ...columns], ...rows].map((row) => row.map((text) => text.padEnd(12)).join(''));
  const missed = all.filter(({ layer, said }) => layer !== said);
  return [
    '',
    ...lines,
    ...missed.map(({ run, cause, layer, said, rule }) => `${run.runId}: ${layer}/${cause} said ${said}/${rule}`),
  ].join('\n');
}

describe('triage of labelled traces, by rules alone', () => {
  it.each(heldOut)('finds the layer in nine of ten with the seed %s, in every layer', (seed) => {
    const all = judged(seed, 3);
    expect(all.length).toBeGreaterThanOrEqual(80);
    const rate = (some: readonly Judged[]): number =>
      some.filter(({ layer, said }) => layer === said).length / some.length;
    expect(rate(all), confusion(all)).toBeGreaterThanOrEqual(least);
    for (const layer of failureLayers)
      expect(rate(all.filter((one) => one.layer === layer)), `${layer}${confusion(all)}`).toBeGreaterThanOrEqual(0.8);
  });

  it('is asked about traces in both languages, with and without answers, of every cause', () => {
    const all = labelledRuns('mix', 4);
    const chinese = all.filter(({ run }) => /\p{Script=Han}/u.test(run.task.input)).length;
    expect(chinese / all.length).toBeGreaterThan(0.2);
    expect(chinese / all.length).toBeLessThan(0.8);
    expect(all.filter(({ run }) => run.attempt.answer === undefined).length).toBeGreaterThan(20);
    expect(new Set(all.map(({ cause }) => cause)).size).toBe(Object.values(causes).flatMap(Object.keys).length);
  });

  it('shows evidence for every label, and names a place that the run has', () => {
    for (const { run } of labelledRuns('evidence', 2)) {
      const { evidence, by } = triage(run);
      if (by === 'nobody') continue;
      expect(evidence.length, run.runId).toBeGreaterThan(0);
      for (const { where } of evidence) expect(places(run), run.runId).toContain(where);
    }
  });

  it('says of the second of two equal failures that it was made before', async () => {
    const [first] = labelledRuns('again', 1).filter(({ cause }) => cause === 'same-failing-call');
    if (!first) throw new Error('the generator has no such cause');
    const later = {
      ...first.run,
      runId: 'later',
      events: first.run.events.map((event) => ({ ...event, at: event.at + 1e6 })),
    };
    const { labels } = await triageAll([first.run, later]);
    expect(labels.map(({ layer }) => layer)).toEqual(['act', 'memory']);
    expect(labels[1]?.evidence[0]?.where).toBe(`run ${first.run.runId}`);
  });
});

function places({ events, attempt }: LabelledRun['run']): string[] {
  return [
    ...events.map(({ id }) => id),
    ...attempt.observations.map(({ id }) => id),
    ...(attempt.plan?.steps ?? []).map(({ id }) => `plan.${id}`),
    ...events.flatMap((event) =>
      event.type === 'lesson.recalled' ? event.lessons.map(({ id }) => `lesson ${id}`) : [],
    ),
    ...[
      'answer',
      'claims',
      'plan',
      'attempt.ended',
      'status',
      'grade',
      'error',
      'task.input',
      'task.constraints',
      'task.expected',
    ],
  ];
}
