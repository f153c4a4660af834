import type { Attempt } from '../../core/attempt.ts';
import { messageOf, mustPass } from '../../core/errors.ts';
import type { Task } from '../../core/task.ts';
import type { Run } from '../solver.ts';

/** Whether an attempt's answer is right, where that is known: for counting only, it steers nothing. */
export type Reference = (attempt: Attempt, task: Task) => boolean;

/** What revising did to answers whose right one is known (the question of Huang et al. 2024, section 3). */
export interface AnswerChanges {
  /** Versions that were judged, the draft included. */
  versions: number;
  /** Revisions that made a right version wrong, discarded ones included. */
  rightToWrong: number;
  /** Revisions that made a wrong version right, discarded ones included. */
  wrongToRight: number;
  /** Whether the draft was right, and whether the answer that was returned is. */
  firstRight: boolean;
  returnedRight: boolean;
}

/** An attempt as the verification layer returns it. */
export interface RefinedAttempt extends Attempt {
  /** Present when the layer was given a `reference`. */
  changes?: AnswerChanges;
}

/** Counts the changes between the versions of an answer, oldest first. `returned` is one of them. */
export function countChanges(
  versions: readonly Attempt[],
  facts: { returned: Attempt; isRight: (attempt: Attempt) => boolean },
): AnswerChanges {
  const right = versions.map(facts.isRight);
  const turned = (from: boolean): number =>
    right.filter((now, index) => index > 0 && right[index - 1] === from && now !== from).length;
  return {
    versions: right.length,
    rightToWrong: turned(true),
    wrongToRight: turned(false),
    firstRight: right[0] ?? false,
    returnedRight: right[versions.indexOf(facts.returned)] ?? false,
  };
}

/** The attempt with the changes that led to it. A reference that throws costs the count, and is told as an event. */
export function withChanges(
  returned: Attempt,
  versions: readonly Attempt[],
  context: { reference: Reference | undefined; task: Task; run: Run },
): RefinedAttempt {
  const { reference, task, run } = context;
  if (!reference) return returned;
  try {
    const isRight = (attempt: Attempt): boolean => reference(attempt, task);
    return { ...returned, changes: countChanges(versions, { returned, isRight }) };
  } catch (error) {
    if (mustPass(error)) throw error;
    run.emit({ type: 'run.warning', why: run.redact(`the reference of the verification failed: ${messageOf(error)}`) });
    return returned;
  }
}
