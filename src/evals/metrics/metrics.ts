import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import type { ConfigurationMetrics, EvalRecord, RunFacts, Share } from '../evaluation.ts';
import { passCurves } from '../statistics/pass-k.ts';
import { mean, quantile } from '../statistics/quantile.ts';
import { type Tally, wilsonOfTasks } from '../statistics/share.ts';
import { byTask, isSilentFailure, isSuccess, ran } from './records.ts';

/**
 * What a configuration came to, from its records; those of others are left out, and so are runs that did not take place. Broken runs count
 * as failures. Intervals treat the repeats of a task, and the calls and claims of its runs, as one sample (`wilsonOfTasks`). Figures per
 * success are NaN without one, figures in USD where a call had no known price.
 */
export function metricsOf(configuration: string, records: readonly EvalRecord[]): ConfigurationMetrics {
  const runs = ran(records.filter((record) => record.configuration === configuration));
  const meanOf = (measure: (record: EvalRecord) => number): number => mean(runs.map(measure));
  const latencies = runs.map(({ latencyMs }) => latencyMs);
  const trials = [...byTask(runs).values()].map((ofTask) => ({
    successes: ofTask.filter(isSuccess).length,
    trials: ofTask.length,
  }));
  return {
    configuration,
    runs: runs.length,
    success: shareOf(runs, isSuccess),
    ...passCurves(trials),
    meanScore: meanOf(({ grade }) => grade.score),
    degraded: shareOf(runs, ({ degraded }) => degraded),
    broken: shareOf(runs, ({ outcome }) => outcome === 'broken'),
    selfChecked: shareOf(runs, ({ selfChecked }) => selfChecked),
    silentFailures: shareOf(runs, isSilentFailure),
    falseAlarms: shareOf(runs.filter(isSuccess), ({ flagged }) => flagged),
    meanLatencyMs: mean(latencies),
    p95LatencyMs: quantile(latencies, 0.95),
    meanSteps: meanOf(({ facts }) => facts.turns),
    meanModelCalls: meanOf(({ usage }) => usage.modelCalls),
    ...factShares(runs),
    ...mechanismShares(runs),
    ...spending(runs),
    byKind: kindShares(runs),
  };
}

function shareOf(runs: readonly EvalRecord[], holds: (record: EvalRecord) => boolean): Share {
  return ratioOf(runs, (record) => ({ count: holds(record) ? 1 : 0, of: 1 }));
}

function ratioOf(runs: readonly EvalRecord[], counted: (record: EvalRecord) => Tally): Share {
  const tallies = [...byTask(runs).values()].map((ofTask) =>
    ofTask.map(counted).reduce((sum, { count, of }) => ({ count: sum.count + count, of: sum.of + of })),
  );
  return wilsonOfTasks(tallies);
}

function factShares(
  runs: readonly EvalRecord[],
): Pick<
  ConfigurationMetrics,
  'evidenceErrors' | 'evidenceCoverage' | 'toolSuccess' | 'invalidCalls' | 'duplicateCalls'
> {
  const ratio = (counted: (facts: RunFacts) => Tally): Share => ratioOf(runs, ({ facts }) => counted(facts));
  return {
    evidenceErrors: ratio(({ brokenCitations, citations }) => ({ count: brokenCitations, of: citations })),
    evidenceCoverage: ratio(({ supportedClaims, claims }) => ({ count: supportedClaims, of: claims })),
    toolSuccess: ratio(({ toolCalls, toolErrors }) => ({ count: toolCalls - toolErrors, of: toolCalls })),
    invalidCalls: ratio((facts) => ({ count: facts.invalidCalls, of: callsMade(facts) })),
    duplicateCalls: ratio((facts) => ({ count: facts.duplicateCalls, of: callsMade(facts) })),
  };
}

/** All that the model called for, whatever came of it. */
function callsMade({ toolCalls, invalidCalls, deniedCalls, blockedCalls }: RunFacts): number {
  return toolCalls + invalidCalls + deniedCalls + blockedCalls;
}

function mechanismShares(
  runs: readonly EvalRecord[],
): Pick<ConfigurationMetrics, 'revised' | 'recovered' | 'rightToWrong' | 'wrongToRight' | 'lessonDifference'> {
  const turned = (from: boolean): Share =>
    ratioOf(runs, ({ versions }) => {
      const pairs = versions.flatMap((passes) => passes.slice(1).map((now, index) => ({ before: passes[index], now })));
      return { count: pairs.filter(({ before, now }) => before === from && now !== from).length, of: pairs.length };
    });
  const verified = runs.filter(({ facts }) => facts.verdicts > 0);
  const successRate = (some: readonly EvalRecord[]): number => mean(some.map((record) => Number(isSuccess(record))));
  const helped = ({ facts }: EvalRecord): boolean => facts.lessonsRecalled > 0;
  return {
    revised: shareOf(verified, ({ facts }) => facts.revisions > 0),
    recovered: shareOf(
      runs.filter(({ facts }) => facts.stumbled),
      isSuccess,
    ),
    rightToWrong: turned(true),
    wrongToRight: turned(false),
    lessonDifference: successRate(runs.filter(helped)) - successRate(runs.filter((record) => !helped(record))),
  };
}

function spending(
  runs: readonly EvalRecord[],
): Pick<
  ConfigurationMetrics,
  'usd' | 'usdPerSuccess' | 'tokensPerSuccess' | 'inputTokens' | 'outputTokens' | 'cachedTokens'
> {
  const usage = runs.reduce<Usage>((sum, record) => addUsage(sum, record.usage), noUsage);
  const usd = usage.unpricedCalls > 0 ? Number.NaN : usage.usd;
  const successes = runs.filter(isSuccess).length || Number.NaN;
  return {
    usd,
    usdPerSuccess: usd / successes,
    tokensPerSuccess: usage.tokens / successes,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedTokens: usage.cachedTokens,
  };
}

/** Success by the kind of task; tasks without a kind are in none. */
function kindShares(runs: readonly EvalRecord[]): Record<string, Share> {
  const kinds = Map.groupBy(runs, ({ kind }) => kind);
  return Object.fromEntries(
    [...kinds].flatMap(([kind, ofKind]) => (kind === undefined ? [] : [[kind, shareOf(ofKind, isSuccess)]])),
  );
}
