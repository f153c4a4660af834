/** What changed between two evaluations of a suite, configuration by configuration. */
import type { Comparison, Estimate, EvalRecord, Evaluation } from '../evaluation.ts';
import { type BootstrapOptions, pairedBootstrap } from '../statistics/bootstrap.ts';
import { holm } from '../statistics/paired-tests.ts';
import { mean } from '../statistics/quantile.ts';
import { compare, findingOf, pairsOf, perTask, type TaskPair } from './compare.ts';
import { isSuccess } from './records.ts';

/** A task whose share of successful repeats changed. */
export interface TaskFlip {
  task: string;
  before: number;
  after: number;
}

/** A figure per run on the common tasks that changed by more than chance does. Times in milliseconds. */
export interface MovedMetric {
  name: 'usd' | 'tokens' | 'modelCalls' | 'latencyMs';
  before: number;
  after: number;
  change: Estimate;
}

export interface ConfigurationRegression {
  configuration: string;
  /** `b` is after, `a` before. */
  comparison: Comparison;
  /** The p-value of the comparison adjusted for the number of configurations (`holm`). */
  adjustedPValue: number;
  /** By the adjusted p-value; `worse` is a regression. */
  finding: Comparison['finding'];
  /** Largest change first. */
  gained: TaskFlip[];
  lost: TaskFlip[];
  moved: MovedMetric[];
}

export interface Regressions {
  before: { id: string; suite: string };
  after: { id: string; suite: string };
  /** Why the two may not be comparable. */
  warnings: string[];
  configurations: ConfigurationRegression[];
}

/** Compares the configurations that have the same name in both, on the tasks that both ran. */
export function regressions(before: Evaluation, after: Evaluation, options: BootstrapOptions = {}): Regressions {
  const pairs = before.header.configurations
    .filter(({ name }) => after.header.configurations.some((other) => other.name === name))
    .map(({ name }) => {
      const [a, b] = [recordsOf(before, name), recordsOf(after, name)];
      return { name, tasks: pairsOf(a, b), comparison: { ...compare(a, b, options), a: name, b: name } };
    });
  const adjusted = holm(pairs.map(({ comparison }) => comparison.pValue));
  return {
    before: named(before),
    after: named(after),
    warnings: warningsOf(before, after),
    configurations: pairs.map(({ name, tasks, comparison }, index) => {
      const adjustedPValue = adjusted[index] ?? 1;
      return {
        configuration: name,
        comparison,
        adjustedPValue,
        finding: findingOf(comparison.difference, adjustedPValue),
        ...flipsOf(tasks),
        moved: movedOf(tasks, options),
      };
    }),
  };
}

function recordsOf({ records }: Evaluation, name: string): EvalRecord[] {
  return records.filter(({ configuration }) => configuration === name);
}

function named({ header }: Evaluation): Regressions['before'] {
  return { id: header.id, suite: header.suite };
}

function flipsOf(pairs: readonly TaskPair[]): Pick<ConfigurationRegression, 'gained' | 'lost'> {
  const { a, b } = perTask(pairs, (record) => Number(isSuccess(record)));
  const flips = pairs
    .map(({ task }, index): TaskFlip => ({ task, before: a[index] ?? Number.NaN, after: b[index] ?? Number.NaN }))
    .sort((one, other) => Math.abs(other.after - other.before) - Math.abs(one.after - one.before));
  return {
    gained: flips.filter((flip) => flip.after > flip.before),
    lost: flips.filter((flip) => flip.after < flip.before),
  };
}

/** A cost that is not known is NaN, which nothing is told from. */
const measures: readonly { name: MovedMetric['name']; of(record: EvalRecord): number }[] = [
  { name: 'usd', of: ({ usage }) => (usage.unpricedCalls > 0 ? Number.NaN : usage.usd) },
  { name: 'tokens', of: ({ usage }) => usage.tokens },
  { name: 'modelCalls', of: ({ usage }) => usage.modelCalls },
  { name: 'latencyMs', of: ({ latencyMs }) => latencyMs },
];

function movedOf(pairs: readonly TaskPair[], options: BootstrapOptions): MovedMetric[] {
  return measures.flatMap(({ name, of }) => {
    const { a, b } = perTask(pairs, of);
    const change = pairedBootstrap(a, b, options);
    return change.low > 0 || change.high < 0 ? [{ name, before: mean(a), after: mean(b), change }] : [];
  });
}

function warningsOf(before: Evaluation, after: Evaluation): string[] {
  const [old, now] = [before.header, after.header];
  const warnings: string[] = [];
  if (old.suite !== now.suite) warnings.push(`The suites are not the same: ${old.suite} before, ${now.suite} after.`);
  if (old.tasksHash !== now.tasksHash)
    warnings.push('The tasks are not the same: those whose id is in both are compared, though their text may differ.');
  if (gradersText(before) !== gradersText(after))
    warnings.push(
      `The graders are not the same (${gradersText(before)} before, ${gradersText(after)} after): a difference may be theirs.`,
    );
  if (old.repeats !== now.repeats)
    warnings.push(`The repeats are not the same: ${old.repeats} before, ${now.repeats} after.`);
  for (const { header, records } of [before, after]) {
    const missing = records.filter(({ outcome }) => outcome === 'not-run').length;
    if (missing > 0)
      warnings.push(`${missing} run${missing > 1 ? 's' : ''} of the evaluation ${header.id} did not take place.`);
    if (header.ended === undefined) warnings.push(`The evaluation ${header.id} has not ended: go on with it first.`);
  }
  warnings.push(...onlyIn(before, after, 'before'), ...onlyIn(after, before, 'after'));
  return warnings;
}

function gradersText({ header }: Evaluation): string {
  return header.graders.map(({ name, knows }) => `${name} (${knows})`).join(', ');
}

function onlyIn(one: Evaluation, other: Evaluation, when: string): string[] {
  return one.header.configurations
    .filter(({ name }) => !other.header.configurations.some((configuration) => configuration.name === name))
    .map(({ name }) => `The configuration ${name} is there only ${when}; it is not compared.`);
}
