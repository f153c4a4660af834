/** Which sample is the answer: the majority's best one, and where votes do not decide, the best supported. */
import type { Attempt } from '../../core/attempt.ts';
import type { EventBody } from '../../core/event.ts';
import { isSupported } from '../supported.ts';
import { majority, type VoteCount } from './majority.ts';

/** An attempt that ended with an answer, and what it votes for. */
export interface Sample {
  attempt: Attempt;
  vote: string | undefined;
}

export type Reason = Extract<EventBody, { type: 'vote.made' }>['by'];

export interface Choice {
  winner: Sample;
  by: Reason;
  counts: VoteCount[];
  /** The votes decided nothing, because no answer could be counted: a judge may. */
  uncounted: boolean;
}

/** A forced last answer counts only where there is no other. */
export function votersOf(samples: readonly Sample[]): readonly Sample[] {
  const whole = samples.filter(({ attempt }) => !attempt.degraded);
  return whole.length > 0 ? whole : samples;
}

/** Chooses among samples in the order they were drawn. */
export function choose(samples: readonly Sample[]): Choice | undefined {
  const voters = votersOf(samples);
  const { counts, leaders } = majority(voters.map(({ vote }) => vote));
  const supporters = voters.filter(({ vote }) => vote !== undefined && leaders.includes(vote));
  const [winner, second] = (supporters.length > 0 ? supporters : voters).toSorted(byStrength);
  if (!winner) return undefined;
  const tieBreak = second && support(second) === support(winner) ? 'steps' : 'evidence';
  const by = leaders.length === 1 ? 'majority' : tieBreak;
  return { winner, by, counts, uncounted: leaders.length === 0 };
}

/** More supported claims first, then fewer steps; equal ones stay in order. */
export function byStrength(a: Sample, b: Sample): number {
  return support(b) - support(a) || steps(a) - steps(b);
}

function support({ attempt }: Sample): number {
  return attempt.claims.filter((claim) => isSupported(claim, attempt.observations)).length;
}

function steps({ attempt }: Sample): number {
  return attempt.state?.transcript.messages.filter(({ role }) => role === 'assistant').length ?? 0;
}
