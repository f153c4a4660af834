/** Which figures of a configuration a report shows, in which groups and under which names. */
import type { ConfigurationMetrics, Share } from '../evaluation.ts';
import { count, duration, mean, money, percent, points, score, shareText } from './figures.ts';

export interface Metric {
  /** For programs: the name of a property. */
  key: string;
  label: string;
  /** What it says, for whoever does not know the word. */
  about: string;
  text(metrics: ConfigurationMetrics): string;
  /** NaN where it is not known. */
  figure(metrics: ConfigurationMetrics): number;
  /** What a share counts, `111 of 240`; undefined for other figures. */
  counted?(metrics: ConfigurationMetrics): string;
}

export interface MetricGroup {
  title: string;
  metrics: Metric[];
}

/** The groups for an evaluation of so many repeats; the first one is what it is about. */
export function metricGroups(repeats: number): MetricGroup[] {
  return [
    { title: 'Results', metrics: [...results, ...repeated(repeats)] },
    { title: 'Told apart: degraded, broken and self-checked runs', metrics: apart },
    { title: 'Cost and time', metrics: costs },
    { title: 'Evidence', metrics: evidence },
    { title: 'Work', metrics: work },
    { title: 'Repair and memory', metrics: repair },
  ];
}

const results: Metric[] = [
  metric(
    'success',
    'Success',
    'Runs whose answer the graders pass, with 95 % interval',
    asShare((m) => m.success),
  ),
  metric(
    'silent-failures',
    'Silent failures',
    'Wrong and handed over without a word; of all runs',
    asShare((m) => m.silentFailures),
  ),
  metric(
    'false-alarms',
    'False alarms',
    'Right but flagged as doubtful; of all successes',
    asShare((m) => m.falseAlarms),
  ),
  metric(
    'mean-score',
    'Mean score',
    'Partial credit, 0 to 1',
    shownAs(score, (m) => m.meanScore),
  ),
];

const apart: Metric[] = [
  metric(
    'degraded',
    'Degraded',
    'Answer forced out of the kept slice of the budget; never a success',
    asShare((m) => m.degraded),
  ),
  metric(
    'broken',
    'Broken',
    'The program failed, not the answer; counted as failures',
    asShare((m) => m.broken),
  ),
  metric(
    'self-checked',
    'Self-checked',
    'The model that answered was its own only judge',
    asShare((m) => m.selfChecked),
  ),
];

const costs: Metric[] = [
  metric(
    'usd-per-success',
    'Cost per success',
    'All money over all successes',
    shownAs(money, (m) => m.usdPerSuccess),
  ),
  metric(
    'usd',
    'Cost',
    'What all runs cost when every reply is paid for',
    shownAs(money, (m) => m.usd),
  ),
  metric(
    'tokens-per-success',
    'Tokens per success',
    'All tokens over all successes',
    shownAs(count, (m) => m.tokensPerSuccess),
  ),
  metric(
    'input-tokens',
    'Tokens in',
    'Input tokens, cached ones included',
    shownAs(count, (m) => m.inputTokens),
  ),
  metric(
    'cached-tokens',
    'Cached',
    'Input tokens the provider read from its cache',
    shownAs(count, (m) => m.cachedTokens),
  ),
  metric(
    'output-tokens',
    'Tokens out',
    'Output tokens',
    shownAs(count, (m) => m.outputTokens),
  ),
  metric(
    'mean-latency-ms',
    'Mean time',
    'Active time of a run',
    shownAs(duration, (m) => m.meanLatencyMs),
  ),
  metric(
    'p95-latency-ms',
    'p95 time',
    '95th percentile of the active time',
    shownAs(duration, (m) => m.p95LatencyMs),
  ),
];

const evidence: Metric[] = [
  metric(
    'evidence-errors',
    'Evidence errors',
    'Cited quotes that do not stand where they are said to',
    asShare((m) => m.evidenceErrors),
  ),
  metric(
    'evidence-coverage',
    'Evidence coverage',
    'Claims whose every quote was found',
    asShare((m) => m.evidenceCoverage),
  ),
];

const work: Metric[] = [
  metric(
    'mean-steps',
    'Mean steps',
    'Turns of the loop in a run',
    shownAs(mean, (m) => m.meanSteps),
  ),
  metric(
    'mean-model-calls',
    'Mean model calls',
    'Model calls in a run',
    shownAs(mean, (m) => m.meanModelCalls),
  ),
  metric(
    'tool-success',
    'Tool success',
    'Executed calls that ended ok',
    asShare((m) => m.toolSuccess),
  ),
  metric(
    'invalid-calls',
    'Invalid calls',
    'No such tool, or arguments that do not fit',
    asShare((m) => m.invalidCalls),
  ),
  metric(
    'duplicate-calls',
    'Duplicate calls',
    'Calls that repeat an earlier one',
    asShare((m) => m.duplicateCalls),
  ),
];

const repair: Metric[] = [
  metric(
    'revised',
    'Revised',
    'Revised after verification, of the runs that were verified',
    asShare((m) => m.revised),
  ),
  metric(
    'recovered',
    'Recovered',
    'Successes among the runs in which something failed on the way',
    asShare((m) => m.recovered),
  ),
  metric(
    'wrong-to-right',
    'Wrong → right',
    'Revisions that mended an answer',
    asShare((m) => m.wrongToRight),
  ),
  metric(
    'right-to-wrong',
    'Right → wrong',
    'Revisions that spoiled an answer',
    asShare((m) => m.rightToWrong),
  ),
  metric(
    'lesson-difference',
    'With lesson',
    'Success with a recalled lesson minus success without; not paired',
    shownAs(points, (m) => m.lessonDifference),
  ),
];

function repeated(repeats: number): Metric[] {
  if (repeats < 2) return [];
  const all = `All ${repeats} repeats of a task succeed`;
  const any = `One of ${repeats} repeats of a task succeeds`;
  const last = repeats - 1;
  return [
    metric(
      `pass-hat-${repeats}`,
      `pass^${repeats}`,
      all,
      shownAs(percent, (m) => m.passHatK[last] ?? Number.NaN),
    ),
    metric(
      `pass-at-${repeats}`,
      `pass@${repeats}`,
      any,
      shownAs(percent, (m) => m.passAtK[last] ?? Number.NaN),
    ),
  ];
}

type Read<Value> = (metrics: ConfigurationMetrics) => Value;
type Shown = Pick<Metric, 'text' | 'figure' | 'counted'>;

function metric(key: string, label: string, about: string, shown: Shown): Metric {
  return { key, label, about, ...shown };
}

function asShare(of: Read<Share>): Shown {
  return {
    text: (metrics) => shareText(of(metrics)),
    figure: (metrics) => of(metrics).rate,
    counted: (metrics) => `${count(of(metrics).count)} of ${count(of(metrics).of)}`,
  };
}

function shownAs(shown: (value: number) => string, of: Read<number>): Shown {
  return { text: (metrics) => shown(of(metrics)), figure: of };
}
