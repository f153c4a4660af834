/** An ablation from the first configuration to its findings. */
import { UsageError } from '../../core/errors.ts';
import type { EvalRecord, Evaluation } from '../evaluation.ts';
import { type AblationFindings, type EqualBudgetControl, type Mechanism, mechanisms } from '../findings.ts';
import { compare } from '../metrics/compare.ts';
import { type EvaluateOptions, evaluate } from '../runner/evaluate.ts';
import type { AblationOptions, Suite } from '../suite.ts';
import {
  ablationOf,
  directName,
  ladder,
  leaveOneOut,
  type Rung,
  rung,
  samplesOfDirect,
  withoutName,
} from './ladder.ts';
import { points, times } from './numbers.ts';
import { type Measured, type VerdictOptions, verdictsOn } from './verdicts.ts';

const recommendedName = 'recommended';
const controlName = 'equal budget';

export interface AblateOptions extends EvaluateOptions {
  /** Measure the whole without each mechanism as well. Default true. */
  leaveOneOut?: boolean;
  verdicts?: VerdictOptions;
}

/** Evaluates the ladder of a suite, each mechanism left out, the recommended configuration, and plain samples for the same spend. */
export async function ablate(
  suite: Suite,
  options: AblateOptions = {},
): Promise<{ evaluation: Evaluation; findings: AblationFindings }> {
  const ablation = ablationOf(suite);
  const rungs = ladder(ablation);
  const others = options.leaveOneOut === false ? [] : leaveOneOut(ablation);
  const evaluation = await evaluate(suite, {
    ...options,
    configurations: [...rungs, ...others],
    baseline: directName,
    subject: rungs.at(-1)?.name ?? directName,
    later: (records) => nextOf(records, { rungs, ablation, verdicts: options.verdicts }),
  });
  return { evaluation, findings: findingsOf(evaluation.records, ablation, options.verdicts) };
}

/** What a finished ablation says; the suite tells which rungs there are. */
export function findingsOf(
  records: readonly EvalRecord[],
  ablation: AblationOptions,
  options?: VerdictOptions,
): AblationFindings {
  const rungs = ladder(ablation);
  const verdicts = verdictsOn(measuredIn(records, rungs), options);
  const kept = verdicts.filter(({ verdict }) => verdict === 'keep').map(({ mechanism }) => mechanism);
  const recommended = withNeeded(kept);
  return {
    rungs: rungs.map(({ name }) => name),
    verdicts: verdicts.map((one) =>
      recommended.includes(one.mechanism) && !kept.includes(one.mechanism)
        ? { ...one, why: `${one.why}; recommended all the same, since the others rest on it` }
        : one,
    ),
    control: controlOf(records, rungs, recommended),
    recommended,
    lessonUplift: upliftOf(records, rungs),
  };
}

function measuredIn(records: readonly EvalRecord[], rungs: readonly Rung[]): Measured[] {
  const of = (name: string): EvalRecord[] => records.filter(({ configuration }) => configuration === name);
  const whole = rungs.at(-1);
  return rungs.slice(1).flatMap((one, index) => {
    const below = rungs[index];
    const mechanism = one.mechanisms.at(-1);
    if (!(below && mechanism && whole)) return [];
    const without = of(withoutName(mechanism));
    return [
      {
        mechanism,
        added: compare(of(below.name), of(one.name)),
        ...(without.length > 0 && { leftOut: compare(without, of(whole.name)) }),
      },
    ];
  });
}

/** A mechanism does not work without what it rests on: revision needs a verdict, everything needs the loop it was measured on. */
function withNeeded(kept: readonly Mechanism[]): Mechanism[] {
  const needed = new Set(kept);
  if (needed.has('refine')) needed.add('verification');
  if (needed.size > 0) needed.add('react');
  return mechanisms.filter((mechanism) => needed.has(mechanism));
}

interface Knowing {
  rungs: readonly Rung[];
  ablation: AblationOptions;
  verdicts: VerdictOptions | undefined;
}

/** First the recommended mechanisms together, where no rung has just those; then plain samples for what they cost. */
function nextOf(records: readonly EvalRecord[], { rungs, ablation, verdicts }: Knowing): Rung[] {
  const { recommended } = findingsOf(records, ablation, verdicts);
  const measured = configurationOf(records, rungs, recommended);
  if (measured === undefined) return [rung(recommendedName, recommended, ablation)];
  const samples = affordableSamples(records, measured);
  return samples < 2 ? [] : [samplesOfDirect(controlNameOf(samples), samples, ablation)];
}

/** The name of the configuration with just these mechanisms, if it was measured. */
function configurationOf(
  records: readonly EvalRecord[],
  rungs: readonly Rung[],
  chosen: readonly Mechanism[],
): string | undefined {
  const same = rungs.find(({ mechanisms: has }) => has.join() === chosen.join());
  if (same) return same.name;
  return records.some(({ configuration }) => configuration === recommendedName) ? recommendedName : undefined;
}

const mostSamples = 64;

/** How many direct answers cost what a run of the configuration does. */
function affordableSamples(records: readonly EvalRecord[], configuration: string): number {
  const mean = (name: string): { usd: number; tokens: number } => {
    const of = records.filter((record) => record.configuration === name);
    const sum = (read: (record: EvalRecord) => number): number =>
      of.reduce((total, one) => total + read(one), 0) / of.length;
    const priced = of.every(({ usage }) => usage.unpricedCalls === 0);
    return { usd: priced ? sum(({ usage }) => usage.usd) : 0, tokens: sum(({ usage }) => usage.tokens) };
  };
  const [one, all] = [mean(directName), mean(configuration)];
  const ratio = one.usd > 0 ? all.usd / one.usd : all.tokens / one.tokens;
  return Number.isFinite(ratio) ? Math.min(mostSamples, Math.round(ratio)) : 0;
}

function controlNameOf(samples: number): string {
  return `${controlName} x${samples}`;
}

function controlOf(
  records: readonly EvalRecord[],
  rungs: readonly Rung[],
  recommended: readonly Mechanism[],
): EqualBudgetControl | undefined {
  const control = records.find(({ configuration }) => configuration.startsWith(controlName))?.configuration;
  const measured = configurationOf(records, rungs, recommended);
  if (control === undefined || measured === undefined) return undefined;
  const of = (name: string): EvalRecord[] => records.filter(({ configuration }) => configuration === name);
  const comparison = compare(of(control), of(measured));
  const samples = Number(/x(\d+)$/.exec(control)?.[1]);
  if (!Number.isInteger(samples)) throw new UsageError(`The control '${control}' does not say how many samples it is.`);
  const said = `${measured} against ${samples} direct answers and a vote, ${times(comparison.costRatio)} their ${comparison.costUnit === 'usd' ? 'cost' : 'tokens'}: success ${points(comparison.difference)}`;
  const meaning = {
    better: 'the mechanisms do what more samples do not',
    worse: 'plain samples do better for the same spend',
    noise: 'plain samples do as well for the same spend, as far as these tasks tell',
  }[comparison.finding];
  return { configuration: control, samples, comparison, why: `${said}; ${meaning}` };
}

/** Tasks whose run recalled a lesson, against the same tasks one rung below. */
function upliftOf(records: readonly EvalRecord[], rungs: readonly Rung[]): AblationFindings['lessonUplift'] {
  const index = rungs.findIndex(({ mechanisms: has }) => has.at(-1) === 'lessons');
  const [below, withLessons] = [rungs[index - 1], rungs[index]];
  if (!(below && withLessons)) return undefined;
  const recalled = records.filter(
    ({ configuration, facts }) => configuration === withLessons.name && facts.lessonsRecalled > 0,
  );
  if (recalled.length === 0) return undefined;
  return compare(
    records.filter(({ configuration }) => configuration === below.name),
    recalled,
  ).difference;
}
