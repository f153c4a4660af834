import type { Attempt, Observation } from '../../core/attempt.ts';
import type { DraftClaim, GeneratedTask } from './generated-task.ts';

/**
 * What is truly wrong with an attempt at a generated task, by the facts it was made from; nothing when the answer is the right one and
 * every claim is true and quotes, word for word, what carries it. It knows nothing of the checks. `closed` leaves out evidence, for a
 * solver that has no tools.
 */
export function flawsOf(
  task: GeneratedTask,
  attempt: Pick<Attempt, 'answer' | 'claims' | 'observations'>,
  options: { closed?: boolean } = {},
): string[] {
  const { answer, claims, observations } = attempt;
  const flaws: string[] = [];
  if (!sameAnswer(answer, task.right.answer)) flaws.push(`the answer is not "${task.right.answer}"`);
  if (claims.length === 0 && !options.closed) flaws.push('nothing ties the answer to what was read');
  for (const claim of claims) {
    const known = task.right.claims.find((one) => one.text === claim.text);
    if (!known) flaws.push(`the claim "${claim.text}" is none of the true ones`);
    else if (!isBacked(claim, known, observations))
      flaws.push(`the claim "${claim.text}" is not backed by its evidence`);
  }
  return flaws;
}

function sameAnswer(answer: string | undefined, right: string): boolean {
  return answer?.trim() === right;
}

function isBacked(claim: Attempt['claims'][number], known: DraftClaim, observations: readonly Observation[]): boolean {
  return (
    claim.evidence.length > 0 &&
    claim.evidence.every(
      ({ observation, quote }) =>
        known.quotes.includes(quote) &&
        observations.some(
          ({ id, status, content }) => id === observation && status === 'ok' && content.includes(quote),
        ),
    )
  );
}
