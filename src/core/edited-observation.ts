import type { Observation } from './attempt.ts';

/**
 * The mark of an observation that a human wrote, in a fork, in place of what the tool returned: to see what the agent would have made of it.
 * Observations are the program's (invariant 3), and everything downstream takes this one for such: claims may quote it and checks may pass.
 * So whatever shows the run shows the mark too. The run admits no lesson, and in evals it is neither a success nor training data: it
 * proves nothing about the world.
 */
export interface EditedObservation {
  /** The journal entry that was replaced. */
  seq: number;
  observation: Observation['id'];
}
