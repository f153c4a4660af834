/**
 * Several attempts at the whole task, and a vote over their answers (self-consistency, Wang et al. 2022, section 2).
 *
 * 1. Samples are speculative: only reads run in them. Each draws on an equal share of what is left of the budget.
 * 2. They are drawn in waves. After each it is decided from their answers alone whether more can change the outcome, so that a replay
 *    decides the same.
 * 3. The winner is one of the attempts as it was made, never a blend.
 * `brief.revise`: passes it on; the winner is mended, nothing is sampled again.
 */
import type { Attempt } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import type { Limits } from '../../core/budget.ts';
import { UsageError } from '../../core/errors.ts';
import type { Settled } from '../../runtime/durable.ts';
import { backOff } from '../back-off/back-off.ts';
import { belowHalf } from '../back-off/rules.ts';
import type { Layer, NamedSolver, Run, Solver } from '../solver.ts';
import type { SampledAttempt } from './agreement.ts';
import { type Choice, choose, type Sample } from './choose.ts';
import { type JudgeChoice, judged } from './judge.ts';
import { nextWave } from './majority.ts';
import { exactAnswer, type Normaliser } from './normalisers.ts';

export interface SelfConsistencyOptions {
  /** Attempts at most. Default 5. */
  samples?: number;
  /** Of the samples' models. Default 0.7. */
  temperature?: number;
  /** What an answer votes for. Default `exactAnswer`. */
  normalise?: Normaliser;
  /** Who may judge where no answer can be normalised. Default: nobody; then evidence decides, and steps. */
  judge?: JudgeChoice;
  /** Draw no more when the majority cannot change. Default true. */
  stopEarly?: boolean;
  /** Makes the attempt instead when fewer than half of the samples agree (Yao et al. 2023, section 3.3). */
  adaptive?: NamedSolver;
}

interface Settings {
  samples: number;
  temperature: number;
  normalise: Normaliser;
  judge: JudgeChoice | undefined;
  stopEarly: boolean;
}

/** Samples the inner solver and keeps the majority's answer. Throws `UsageError` for numbers that cannot be meant. */
export function selfConsistency(options: SelfConsistencyOptions = {}): Layer & { warnings: string[] } {
  const { samples = 5, temperature = 0.7, normalise = exactAnswer, stopEarly = true, judge, adaptive } = options;
  if (!(Number.isInteger(samples) && samples >= 1))
    throw new UsageError(`samples is ${samples}: give a whole number of at least 1`);
  if (!(temperature >= 0)) throw new UsageError(`temperature is ${temperature}: give a number of at least 0`);
  const settings: Settings = { samples, temperature, normalise, judge, stopEarly };
  const config = {
    ...{ samples, temperature, normalise: normalise.name, stopEarly },
    ...(judge && { judge }),
    ...(adaptive && { adaptive: adaptive.name }),
  };
  return {
    name: 'self-consistency',
    config,
    place: 'sampling',
    warnings: warningsOf(options, temperature),
    wrap: (inner) => {
      const sampling = layered(inner, settings);
      if (!adaptive) return sampling;
      const from = { name: 'self-consistency', config, solve: sampling };
      return backOff({ from, to: adaptive, when: belowHalf }).solve;
    },
  };
}

function warningsOf(options: SelfConsistencyOptions, temperature: number): string[] {
  return [
    ...(options.normalise || options.judge
      ? []
      : [
          "layer 'self-consistency' has no `normalise` and no `judge`: answers that say the same in other words count as different ones. " +
            'Give it numericAnswer, setAnswer, choiceAnswer or a function of your own.',
        ]),
    ...(temperature === 0
      ? [
          "layer 'self-consistency' samples at temperature 0: the samples hardly differ. Give a temperature of about 0.7.",
        ]
      : []),
  ];
}

function layered(inner: Solver, settings: Settings): Solver {
  return async (brief, run) => {
    if (brief.revise) return inner(brief, run);
    const drawn: Settled<Attempt>[] = [];
    while (drawn.length < settings.samples) {
      const wave = waveSize(drawn, settings);
      if (wave === 0) break;
      drawn.push(...(await drawWave(wave, { inner, brief, run, settings, drawn: drawn.length })));
      const best = choose(samplesOf(drawn, settings))?.winner.attempt;
      if (best) run.keep(() => best);
    }
    return outcome(drawn, { brief, run, settings });
  };
}

function waveSize(drawn: readonly Settled<Attempt>[], { samples, stopEarly, normalise }: Settings): number {
  if (!stopEarly) return samples - drawn.length;
  const votes = drawn.map((settled) => (settled.ok ? voteOf(settled.value, normalise) : undefined));
  return nextWave(votes, samples);
}

/** A forced last answer does not vote: whether the others outnumber it is not known before all are drawn. */
function voteOf(attempt: Attempt, normalise: Normaliser): string | undefined {
  return attempt.answer === undefined || attempt.degraded ? undefined : normalise(attempt.answer);
}

interface Wave {
  inner: Solver;
  brief: Brief;
  run: Run;
  settings: Settings;
  drawn: number;
}

function drawWave(size: number, { inner, brief, run, settings, drawn }: Wave): Promise<Settled<Attempt>[]> {
  const limits = shareOf(run, settings.samples - drawn);
  const sample = (index: number) => async (branch: Run) => {
    const budget = branch.budget.child(limits);
    // The best of the samples before is kept until this one is counted.
    const kept = drawn > 0 ? { kept: {} } : {};
    const { temperature } = settings;
    const attempt = await inner(brief, branch.with({ budget, temperature, speculative: true, ...kept }));
    branch.emit({
      type: 'sample.end',
      sample: drawn + index + 1,
      answer: attempt.answer ?? '',
      vote: voteOf(attempt, settings.normalise) ?? '',
    });
    return attempt;
  };
  return run.parallel(
    'samples',
    Array.from({ length: size }, (_, index) => sample(index)),
  );
}

/** An equal part of what is left for each sample to come: one that goes astray does not starve the others. */
function shareOf({ budget }: Run, samples: number): Limits {
  const share = (kind: 'modelCalls' | 'toolCalls' | 'tokens' | 'usd'): number | undefined => {
    const limit = budget.limits[kind];
    return limit === undefined ? undefined : Math.max(0, limit - budget.spent[kind]) / samples;
  };
  const calls = (kind: 'modelCalls' | 'toolCalls'): number | undefined => {
    const part = share(kind);
    return part === undefined ? undefined : Math.max(1, Math.floor(part));
  };
  return { modelCalls: calls('modelCalls'), toolCalls: calls('toolCalls'), tokens: share('tokens'), usd: share('usd') };
}

function samplesOf(drawn: readonly Settled<Attempt>[], { normalise }: Settings): Sample[] {
  return drawn.flatMap((settled) => {
    if (!settled.ok || settled.value.answer === undefined) return [];
    return [{ attempt: settled.value, vote: normalise(settled.value.answer) }];
  });
}

async function outcome(
  drawn: readonly Settled<Attempt>[],
  { brief, run, settings }: { brief: Brief; run: Run; settings: Settings },
): Promise<Attempt> {
  const samples = samplesOf(drawn, settings);
  const voted = choose(samples);
  if (!voted) return unanswered(drawn);
  const { winner, by, counts } =
    voted.uncounted && settings.judge ? await judged(samples, voted, { brief, run, mayBe: settings.judge }) : voted;
  run.emit({
    type: 'vote.made',
    votes: counts.map(({ vote, count }) => ({ answer: vote, count })),
    winner: winner.attempt.answer ?? '',
    by,
    stoppedEarly: drawn.length < settings.samples,
  });
  const attempt = sampled(winner, { counts, drawn: drawn.length, planned: settings.samples });
  run.keep(() => attempt);
  return attempt;
}

function sampled(
  { attempt, vote }: Sample,
  { counts, drawn, planned }: Pick<Choice, 'counts'> & { drawn: number; planned: number },
): SampledAttempt {
  const votes = counts.find((count) => count.vote === vote)?.count ?? 0;
  return { ...attempt, agreement: { votes, drawn, planned } };
}

/** No sample came to an answer: the first one tells why. What broke all of them is a bug and stays one. */
function unanswered(drawn: readonly Settled<Attempt>[]): Attempt {
  const made = drawn.find((settled) => settled.ok);
  if (made) return made.value;
  const broken = drawn.find((settled) => !settled.ok);
  throw broken?.error ?? new TypeError('selfConsistency: no sample was drawn');
}
