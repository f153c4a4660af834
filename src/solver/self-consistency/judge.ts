import type { Attempt, Observation } from '../../core/attempt.ts';
import type { Brief } from '../../core/brief.ts';
import { mayShareModel } from '../../model/fallback.ts';
import type { Run } from '../solver.ts';
import { comparePair, type PairQuestion } from '../verification/compare-pair.ts';
import { byStrength, type Choice, type Sample, votersOf } from './choose.ts';

/** Whether the judge has to be another model than the one that made the samples (invariant 10). */
export type JudgeChoice = 'another-model' | 'any-model';

/**
 * The sample a judge prefers, in pairs: the best supported one is kept until another is preferred to it in both orders.
 * Without a judge that may be asked, or with one that cannot answer, what was chosen without stands.
 */
export async function judged(
  samples: readonly Sample[],
  chosen: Choice,
  { brief, run, mayBe }: { brief: Brief; run: Run; mayBe: JudgeChoice },
): Promise<Choice> {
  const sameMayJudge = mayShareModel(run.model('judge'), run.model('actor'), (one, other) => one === other);
  if (mayBe === 'another-model' && sameMayJudge) {
    run.emit({
      type: 'run.warning',
      why: "the samples' answers cannot be counted, and the judge would be the model that wrote them; evidence decides. Give the role 'judge' a model of its own",
    });
    return chosen;
  }
  const distinct = new Map<string, Sample>();
  for (const sample of votersOf(samples).toSorted(byStrength)) {
    const answer = sample.attempt.answer?.trim() ?? '';
    if (!distinct.has(answer)) distinct.set(answer, sample);
  }
  const [strongest, ...challengers] = distinct.values();
  if (!strongest || challengers.length === 0) return chosen;
  let winner = strongest;
  for (const [index, challenger] of challengers.entries()) {
    const scope = run.scope(`judge-${index + 1}`);
    const verdict = await comparePair(scope, { task: brief.task, ...sideBySide(winner.attempt, challenger.attempt) });
    if (verdict.winner === 'unchecked') return { ...chosen, winner };
    if (verdict.winner === 'second') winner = challenger;
  }
  return { ...chosen, winner, by: 'judge' };
}

/** Every sample numbers its observations from one: those of the second get numbers of their own, in its claims too. */
function sideBySide(first: Attempt, second: Attempt): Omit<PairQuestion, 'task'> {
  const sources = [...first.observations];
  const renamed = new Map<string, Observation['id']>();
  for (const seen of second.observations) {
    const shared = first.observations.some(({ id, path }) => id === seen.id && path === seen.path);
    const id: Observation['id'] = shared ? seen.id : `obs-${sources.length + 1}`;
    renamed.set(seen.id, id);
    if (!shared) sources.push({ ...seen, id });
  }
  const claims = second.claims.map(({ text, evidence }) => ({
    text,
    evidence: evidence.map(({ observation, quote }) => ({
      observation: renamed.get(observation) ?? observation,
      quote,
    })),
  }));
  return { first, second: { answer: second.answer, claims }, sources };
}
