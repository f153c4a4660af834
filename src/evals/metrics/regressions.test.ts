import { describe, expect, it } from 'vitest';
import type { EvalRecord, Evaluation, EvaluationHeader } from '../evaluation.ts';
import { recordsOf, recordWith } from './record-fixture.ts';
import { regressionText } from './regression-text.ts';
import { regressions } from './regressions.ts';

function evaluationOf(id: string, records: EvalRecord[], change: Partial<EvaluationHeader> = {}): Evaluation {
  const names = [...new Set(records.map(({ configuration }) => configuration))];
  return {
    folder: `evals/${id}`,
    records,
    header: {
      id,
      suite: 'jars',
      began: 0,
      ended: 1,
      tasksHash: 'same',
      fingerprint: id,
      tasks: 1,
      repeats: 1,
      graders: [{ name: 'exact', knows: 'reference' }],
      criteria: {},
      baseline: 'direct',
      subject: 'react',
      configurations: names.map((name) => ({ name, solver: name, layers: [], models: [], openBook: false })),
      version: '0.1.0',
      ...change,
    },
  };
}

const passes = (...successes: number[]): boolean[][] => successes.map((success) => [success === 1]);
const tenLost = { before: passes(...Array(20).fill(1)), after: passes(...Array(10).fill(0), ...Array(10).fill(1)) };

describe('regressions', () => {
  it('names the tasks that flipped, each way, the largest change first', () => {
    const before = evaluationOf(
      'one',
      recordsOf('react', [
        [true, true],
        [true, true],
        [false, false],
        [true, false],
      ]),
    );
    const after = evaluationOf(
      'two',
      recordsOf('react', [
        [true, false],
        [false, false],
        [true, true],
        [true, false],
      ]),
    );
    const [react] = regressions(before, after).configurations;
    expect(react?.lost).toEqual([
      { task: 't2', before: 1, after: 0 },
      { task: 't1', before: 1, after: 0.5 },
    ]);
    expect(react?.gained).toEqual([{ task: 't3', before: 0, after: 1 }]);
    expect(react).toMatchObject({ finding: 'noise', comparison: { a: 'react', b: 'react', tasks: 4 } });
  });

  it('calls a clear loss worse, and warns of nothing where nothing else changed', () => {
    const found = regressions(
      evaluationOf('one', recordsOf('react', tenLost.before)),
      evaluationOf('two', recordsOf('react', tenLost.after)),
    );
    expect(found.warnings).toEqual([]);
    expect(found.configurations).toMatchObject([{ finding: 'worse', adjustedPValue: 2 / 1_024 }]);
  });

  it('asks more of a difference the more configurations are compared', () => {
    const [before, after] = [passes(1, 1, 1, 1, 1, 1), passes(0, 0, 0, 0, 0, 0)];
    const same = ['a', 'b', 'c'].flatMap((name) => recordsOf(name, before));
    const alone = regressions(
      evaluationOf('one', recordsOf('react', before)),
      evaluationOf('two', recordsOf('react', after)),
    );
    const among = regressions(
      evaluationOf('one', [...recordsOf('react', before), ...same]),
      evaluationOf('two', [...recordsOf('react', after), ...same]),
    );
    expect(alone.configurations[0]).toMatchObject({ finding: 'worse', adjustedPValue: 0.03125 });
    expect(among.configurations[0]).toMatchObject({ finding: 'noise', adjustedPValue: 0.125 });
    expect(among.configurations[0]?.comparison).toMatchObject({ finding: 'worse', pValue: 0.03125 });
  });

  it('tells which costs moved by more than chance does', () => {
    const tasks = passes(1, 1, 1, 1, 1, 1);
    const spending = (scale: number) => (record: EvalRecord, index: number) => ({
      ...record,
      latencyMs: index % 2 === 0 ? 100 * scale : 300 / scale,
      usage: {
        ...record.usage,
        tokens: (1_000 + index) * scale,
        modelCalls: 2,
        usd: 0.01 * scale,
        unpricedCalls: scale - 1,
      },
    });
    const [react] = regressions(
      evaluationOf('one', recordsOf('react', tasks).map(spending(1))),
      evaluationOf('two', recordsOf('react', tasks).map(spending(2))),
    ).configurations;
    expect(react?.moved.map(({ name }) => name)).toEqual(['tokens']);
    expect(react?.moved[0]).toMatchObject({ before: 1_002.5, after: 2_005, change: { value: 1_002.5 } });
  });

  it('warns of what makes the two hard to compare', () => {
    const before = evaluationOf('one', [...recordsOf('react', passes(1)), ...recordsOf('old', passes(1))], {
      repeats: 2,
    });
    const after = evaluationOf(
      'two',
      [...recordsOf('react', passes(1)), recordWith('not-run', { task: 't8' }), ...recordsOf('new', passes(1))],
      { suite: 'pots', tasksHash: 'other', graders: [{ name: 'rubric', knows: 'another-model' }], ended: undefined },
    );
    const { warnings, configurations } = regressions(before, after);
    expect(configurations.map(({ configuration }) => configuration)).toEqual(['react']);
    expect(warnings).toHaveLength(8);
    for (const [index, part] of [
      'jars before, pots after',
      'tasks are not the same',
      'exact (reference) before, rubric (another-model) after',
      '2 before, 1 after',
      '1 run of the evaluation two did not take place',
      'two has not ended',
      'old is there only before',
      'new is there only after',
    ].entries())
      expect(warnings[index]).toContain(part);
  });
});

describe('regressionText', () => {
  it('is a table with a row each, then what flipped', () => {
    const text = regressionText(
      regressions(
        evaluationOf('one', recordsOf('react', tenLost.before)),
        evaluationOf('two', recordsOf('react', tenLost.after), { tasksHash: 'other' }),
      ),
    );
    const lines = text.split('\n');
    expect(lines[0]).toBe('# jars: one → two');
    expect(lines.filter((line) => line.startsWith('- Warning: The tasks'))).toHaveLength(1);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^\| react \| 20 \| -50\.0 points, 95 % -\d+\.\d to -\d+\.\d \| 0\.002 \| \*\*worse\*\* \|$/,
      ),
    );
    expect(text).toContain('- Lost 10: t1 (100 % → 0 %), t2 (100 % → 0 %)');
    expect(text).not.toContain('Gained');
  });

  it('keeps names from breaking the table or the page, and names at most twenty tasks', () => {
    const name = 'a|b\nc <img src=x>';
    const [before, after] = [passes(...Array(25).fill(0)), passes(...Array(25).fill(1))];
    const text = regressionText(
      regressions(evaluationOf('one', recordsOf(name, before)), evaluationOf('two', recordsOf(name, after))),
    );
    expect(text).toContain('| a\\|b c &lt;img src=x> | 25 |');
    expect(text).toMatch(/Gained 25: .* and 5 more$/m);
    expect(text).toContain('**better**');
  });

  it('says so where nothing can be compared', () => {
    const found = regressions(
      evaluationOf('one', recordsOf('a', passes(1))),
      evaluationOf('two', recordsOf('b', passes(1))),
    );
    expect(regressionText(found)).toContain('No configuration is in both');
  });
});
