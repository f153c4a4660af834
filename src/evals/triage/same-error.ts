/** Errors that were met before: what one failure alone does not show. */
import { normalAnswer } from '../../checks/evaluators/reference.ts';
import type { FailureLabel } from '../findings.ts';
import { factsOf } from './facts.ts';
import type { FailedRun } from './failed-run.ts';
import { at } from './rule.ts';
import { remedyOf, rowOf } from './selection-table.ts';

/** A failure with its label. */
interface Labelled {
  failure: FailedRun;
  label: FailureLabel;
}

/** Layers whose errors a lesson would have met; a dead service and a weak model learn nothing. */
const learnable: ReadonlySet<string> = new Set(['decompose', 'search', 'act', 'verify']);

/**
 * The labels, with `same-error-again` (memory) for a failure whose pattern an earlier one of the same configuration had shown before it
 * began: the same error of the same tool, or the same wrong answer to the same task. Independent repeats of a task, runs that went on side by
 * side, and runs that recalled a lesson are left as they are.
 */
export function withSameErrors(labelled: readonly Labelled[]): FailureLabel[] {
  const known = new Map<string, Labelled[]>();
  return labelled.map((one) => {
    const { failure, label } = one;
    const patterns = label.by === 'rule' && learnable.has(label.layer) ? patternsOf(failure, label) : [];
    const earlier = patterns
      .flatMap((pattern) => known.get(pattern) ?? [])
      .find((other) => endedBefore(other.failure, failure));
    for (const pattern of patterns) known.set(pattern, [...(known.get(pattern) ?? []), one]);
    if (!earlier || factsOf(failure).lessons.length > 0) return label;
    return {
      ...label,
      layer: 'memory',
      rule: 'same-error-again',
      why: `The run ${earlier.failure.runId} had failed in the same way before (${label.rule}), and no lesson of it was at hand.`,
      evidence: [
        at(`run ${earlier.failure.runId}`, earlier.label.evidence[0]?.text ?? earlier.label.why),
        ...label.evidence.slice(0, 2),
      ],
      remedy: remedyOf(rowOf('same-error-again')),
    };
  });
}

function patternsOf(failure: FailedRun, { rule }: FailureLabel): string[] {
  const { attempt, task, configuration = '', repeat } = failure;
  const base = `${configuration}\n${rule}`;
  const wrong = attempt.observations.find(({ status }) => status === 'error');
  const byTool = wrong && rule === 'tool-error-loop' ? [`${base}\n${wrong.tool}\n${patternOf(wrong.content)}`] : [];
  const byAnswer =
    attempt.answer === undefined || repeat !== undefined
      ? []
      : [`${base}\n${task.id}\n${normalAnswer(attempt.answer)}`];
  return [...byTool, ...byAnswer];
}

/** An error text without its numbers and quoted names. */
function patternOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/["'`][^"'`]*["'`]/g, '"')
    .replace(/\d+/g, '#')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
}

/** By the clock of the events; without them, the order of the list is the order of the runs. */
function endedBefore(earlier: FailedRun, later: FailedRun): boolean {
  const end = earlier.events.at(-1);
  const start = later.events[0];
  return end === undefined || start === undefined || end.at <= start.at;
}
