/** What a fork needs to go on from another observation than the recorded one. */
import type { EditedObservation } from './core/edited-observation.ts';
import { UsageError } from './core/errors.ts';
import type { JournalEntry } from './runtime/durable.ts';
import { stepKeyOf } from './runtime/step-key.ts';
import type { Outcome } from './tools/execute.ts';

/**
 * The outcome of the tool step at `at` as if the tool had returned this. Throws `UsageError` when the entry is of no tool, or is a refusal by
 * the program: nothing ran, so there is nothing to replace.
 */
export async function editedOutcome(
  journal: AsyncIterable<JournalEntry>,
  { at, content }: { at: number; content: string },
): Promise<Outcome> {
  for await (const entry of journal) {
    if (entry.seq < at) continue;
    if (entry.seq > at || !isToolStep(entry.key)) break;
    return { ...timeOf(outcomeOf(entry)), status: 'ok', content };
  }
  throw new UsageError(
    `The journal entry ${at} is no tool's, so it made no observation that could be replaced. ` +
      'Fork at the step of the tool call that returned it.',
  );
}

function isToolStep(key: string): boolean {
  const { kind, name } = stepKeyOf(key);
  return kind === 'step' && name.startsWith('tool.');
}

function outcomeOf({ seq, value, error }: JournalEntry): Partial<Outcome> {
  // A tool that hung, or whose outcome a crash left unknown, might have returned something.
  if (error) return {};
  // What `executeCall` records.
  const outcome = value as Outcome;
  if (outcome.status !== 'denied' && outcome.question === undefined && !outcome.limited) return outcome;
  throw new UsageError(
    `The call of the journal entry ${seq} was refused (${outcome.content}), so the tool returned nothing that could be replaced. ` +
      'Fork at the step of a call that ran.',
  );
}

function timeOf({ span }: Partial<Outcome>): Pick<Outcome, 'span'> {
  return span ? { span } : {};
}

/** The marks of a fork at `at`: those of the run it repeats, as far as it does, and its own. */
export function marksOf(
  before: readonly EditedObservation[] = [],
  { at, observation }: { at: number; observation?: EditedObservation['observation'] | undefined },
): { edited?: EditedObservation[] } {
  const own = observation === undefined ? [] : [{ seq: at, observation }];
  const kept = before.filter(({ seq }) => (own.length > 0 ? seq < at : seq <= at));
  return kept.length + own.length > 0 ? { edited: [...kept, ...own] } : {};
}
