/** What the outputs of a report have in common: what is derived from its figures before anything is written. */
import { isLanguageModel } from '../../model/capability.ts';
import type { ConfigurationMetrics, Estimate, EvalRecord, Evaluation, ModelSummary, Share } from '../evaluation.ts';
import { type EvaluationReport, type FailureLabel, type FailureLayer, failureLayers } from '../findings.ts';
import { missedCriteria } from '../metrics/criteria.ts';
import { byTask, isSuccess, ran } from '../metrics/records.ts';
import { bootstrapMean } from '../statistics/bootstrap.ts';
import type { Criteria } from '../suite.ts';
import { duration, money, percent, plural } from './figures.ts';

/** Models that stand in for a language model, each once; their figures say nothing about a real model. */
export function standIns({ header }: Evaluation): ModelSummary[] {
  const models = header.configurations.flatMap(({ models }) => models).filter(({ source }) => !isLanguageModel(source));
  return [...new Map(models.map((model) => [`${model.source} ${model.id}`, model])).values()];
}

/** Runs that an evaluation of this header comes to. */
export function plannedRuns({ header }: Evaluation): number {
  return header.tasks * header.repeats * header.configurations.length;
}

export interface CriterionRow {
  label: string;
  wanted: string;
  found: string;
  met: boolean;
}

/** Each criterion with what the configuration under test came to; a figure that is not known misses. */
export function criterionRows({ evaluation, metrics }: EvaluationReport): CriterionRow[] {
  const { criteria, subject } = evaluation.header;
  const found = metrics.find(({ configuration }) => configuration === subject);
  const row = (key: keyof Criteria, label: string, shown: (value: number) => string, of: Read): CriterionRow[] => {
    const wanted = criteria[key];
    if (wanted === undefined) return [];
    const least = key === 'minSuccess' ? 'at least' : 'at most';
    const met = found !== undefined && missedCriteria({ [key]: wanted }, found).length === 0;
    return [
      { label, wanted: `${least} ${withoutZeros(shown(wanted))}`, found: found ? shown(of(found)) : 'not run', met },
    ];
  };
  return [
    ...row('minSuccess', 'Success', percent, (m) => m.success.rate),
    ...row('maxUsdPerSuccess', 'Cost per success', money, (m) => m.usdPerSuccess),
    ...row('maxP95Ms', 'p95 time', duration, (m) => m.p95LatencyMs),
    ...row('maxSilentFailures', 'Silent failures', percent, (m) => m.silentFailures.rate),
  ];
}

/** `80.0 %` as `80 %`: what somebody wrote down is no measurement. */
function withoutZeros(text: string): string {
  return text.replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');
}

type Read = (metrics: ConfigurationMetrics) => number;

export type CostUnit = 'usd' | 'tokens';

/** USD where every call is priced and money was spent at all, else tokens. */
export function costUnit({ records }: Evaluation): CostUnit {
  const isPriced = ran(records).every(({ usage }) => usage.unpricedCalls === 0);
  return isPriced && records.some(({ usage }) => usage.usd > 0) ? 'usd' : 'tokens';
}

/** An amount in its unit: `$0.0012`, `1,200 tokens`. */
export function costText(amount: number, unit: CostUnit): string {
  return unit === 'usd' ? money(amount) : plural(amount, 'token');
}

/** What a success costs in the unit. */
export function costPerSuccess({ usdPerSuccess, tokensPerSuccess }: ConfigurationMetrics, unit: CostUnit): number {
  return unit === 'usd' ? usdPerSuccess : tokensPerSuccess;
}

/** A configuration in the plot of cost against success. */
export interface CostPoint {
  /** From 1, in the order of the configurations. */
  number: number;
  configuration: string;
  /** Mean cost of a run with its 95 % interval, by bootstrap over tasks. */
  cost: Estimate;
  success: Share;
  /** None is both cheaper and better. */
  frontier: boolean;
}

export function costPoints({ evaluation, metrics }: EvaluationReport): { unit: CostUnit; points: CostPoint[] } {
  const records = ran(evaluation.records);
  const unit = costUnit(evaluation);
  const found = metrics.flatMap(({ configuration, success }, index) => {
    const costs = costsByTask(records, configuration, unit);
    if (costs.length === 0 || success.of === 0) return [];
    return [{ number: index + 1, configuration, cost: bootstrapMean(costs), success }];
  });
  const beats = (a: (typeof found)[number], b: (typeof found)[number]): boolean =>
    a.cost.value <= b.cost.value &&
    a.success.rate >= b.success.rate &&
    (a.cost.value < b.cost.value || a.success.rate > b.success.rate);
  return { unit, points: found.map((point) => ({ ...point, frontier: !found.some((other) => beats(other, point)) })) };
}

/** The mean cost of a run, by task: repeats of one task are not independent. */
function costsByTask(records: readonly EvalRecord[], configuration: string, unit: CostUnit): number[] {
  const runs = byTask(records.filter((record) => record.configuration === configuration));
  return [...runs.values()].map((runs) => average(runs.map(({ usage }) => usage[unit])));
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export interface HeavyTask {
  task: string;
  kind?: string | undefined;
  runs: number;
  mean: number;
  /** The heaviest of its runs. */
  worst: EvalRecord;
}

/** The tasks that take most on average over all configurations, heaviest first. */
export function heaviestTasks(
  records: readonly EvalRecord[],
  of: (record: EvalRecord) => number,
  most = 10,
): HeavyTask[] {
  const tasks = [...byTask(ran(records))].map(([task, runs]): HeavyTask => {
    const worst = runs.reduce((heaviest, record) => (of(record) > of(heaviest) ? record : heaviest));
    return { task, kind: worst.kind, runs: runs.length, mean: average(runs.map(of)), worst };
  });
  return tasks
    .filter(({ mean }) => mean > 0)
    .sort((a, b) => b.mean - a.mean)
    .slice(0, most);
}

/** The runs that came out wrong, by configuration in the order of the header. */
export function failedRuns({ header, records }: Evaluation): Map<string, EvalRecord[]> {
  const failed = ran(records).filter((record) => !isSuccess(record));
  const byConfiguration = Map.groupBy(failed, ({ configuration }) => configuration);
  const names = header.configurations.map(({ name }) => name);
  return new Map(names.flatMap((name) => (byConfiguration.has(name) ? [[name, byConfiguration.get(name) ?? []]] : [])));
}

/** What broke, why it was not run, or else why the grader did not pass it. */
export function whyOf({ outcome, detail, grade }: EvalRecord): string {
  return (outcome === 'broken' || outcome === 'not-run') && detail !== '' ? detail : grade.why;
}

export interface LayerRow {
  layer: FailureLayer;
  count: number;
  byConfiguration: Map<string, number>;
  /** What to add, the most frequent remedy first. */
  remedies: string[];
  /** Labels that a model gave, or that nobody could. */
  byModel: number;
  byNobody: number;
}

/** Where failures come from, in the order of the layers; layers without a failure are left out. */
export function layerRows(labels: readonly FailureLabel[]): LayerRow[] {
  return failureLayers.flatMap((layer): LayerRow[] => {
    const found = labels.filter((label) => label.layer === layer);
    if (found.length === 0) return [];
    const remedies = [...tally(found.map(({ remedy }) => remedy))].sort(([, a], [, b]) => b - a);
    return [
      {
        layer,
        count: found.length,
        byConfiguration: tally(found.map(({ configuration }) => configuration ?? 'unknown')),
        remedies: remedies.map(([remedy]) => remedy),
        byModel: found.filter(({ by }) => by === 'model').length,
        byNobody: found.filter(({ by }) => by === 'nobody').length,
      },
    ];
  });
}

function tally(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** The command that shows a run, fit to be pasted into a shell. */
export function showCommand(runId: string, folder: string): string {
  return `assay show ${shellWord(runId)} --home ${shellWord(folder)}`;
}

function shellWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
