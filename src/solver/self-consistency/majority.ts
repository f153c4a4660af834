/** One answer and how many samples gave it. */
export interface VoteCount {
  vote: string;
  count: number;
}

/** What a vote came to. */
export interface Majority {
  /** Most votes first, equal ones in the order they came up. */
  counts: VoteCount[];
  /** The votes with the highest count: one, several in a tie, or none when everybody abstained. */
  leaders: string[];
  abstained: number;
}

/** Counts votes; `undefined` abstains (Wang et al. 2022, section 2: the most consistent answer). */
export function majority(votes: readonly (string | undefined)[]): Majority {
  const byVote = new Map<string, number>();
  for (const vote of votes) {
    if (vote !== undefined) byVote.set(vote, (byVote.get(vote) ?? 0) + 1);
  }
  const counts = [...byVote].map(([vote, count]) => ({ vote, count })).sort((a, b) => b.count - a.count);
  const top = counts[0]?.count;
  return {
    counts,
    leaders: counts.filter(({ count }) => count === top).map(({ vote }) => vote),
    abstained: votes.filter((vote) => vote === undefined).length,
  };
}

/**
 * How many samples to draw next: the fewest after which the outcome can be settled. 0 when it is: the votes to come can change neither
 * the winner nor whether it has half of all `planned` votes.
 */
export function nextWave(votes: readonly (string | undefined)[], planned: number): number {
  const left = planned - votes.length;
  const [first, second] = majority(votes).counts.map(({ count }) => count);
  const lead = first ?? 0;
  const chase = second ?? 0;
  const toWin = Math.max(0, Math.floor((chase + left - lead) / 2) + 1);
  const halfIsOutOfReach = 2 * (lead + left) < planned;
  const toHalf = halfIsOutOfReach ? 0 : Math.max(0, Math.ceil(planned / 2) - lead);
  return Math.min(left, Math.max(toWin, toHalf));
}

/** A recorded sample: what it votes for and whether its answer is right. */
export interface ScoredVote {
  vote: string | undefined;
  correct: boolean;
}

/** Shares of tasks, 0 to 1, that `samples` samples get right: by majority vote, and when any one of them counts. */
export interface CurvePoint {
  samples: number;
  majority: number;
  best: number;
}

/**
 * The vote on recorded samples, by how many of them vote (Wang et al. 2022, figure 2). Each figure is the mean over every run of
 * neighbouring samples, in a ring, so that it needs no random draw. A tie goes to the answer that came up first.
 */
export function voteCurve(tasks: readonly (readonly ScoredVote[])[], sizes: readonly number[]): CurvePoint[] {
  return sizes.map((samples) => {
    let byMajority = 0;
    let byBest = 0;
    for (const task of tasks) {
      const windows = samples >= task.length ? [task] : task.map((_, start) => ringSlice(task, start, samples));
      byMajority += windows.filter(isMajorityRight).length / windows.length;
      byBest += windows.filter((window) => window.some(({ correct }) => correct)).length / windows.length;
    }
    return { samples, majority: byMajority / tasks.length, best: byBest / tasks.length };
  });
}

function ringSlice<T>(items: readonly T[], start: number, length: number): T[] {
  return [...items.slice(start, start + length), ...items.slice(0, Math.max(0, start + length - items.length))];
}

function isMajorityRight(window: readonly ScoredVote[]): boolean {
  const [leader] = majority(window.map(({ vote }) => vote)).leaders;
  return leader !== undefined && window.find(({ vote }) => vote === leader)?.correct === true;
}
