import { isModelReply } from '../../rebuild-run.ts';
import type { JournalEntry } from '../../runtime/durable.ts';
import { stepKeyOf } from '../../runtime/step-key.ts';
import type { SeenObservation } from './seen-observations.ts';

/** A journal entry as it is listed. */
export interface StepRow {
  seq: number;
  path: string;
  name: string;
  kind: 'model' | 'tool' | 'approval' | 'other';
  /** Milliseconds since the epoch. */
  at: number;
  observation?: string;
  failed?: true;
}

/** The journal, entry by entry, with the observations that its tool steps made. */
export function stepRows(entries: readonly JournalEntry[], observations: readonly SeenObservation[]): StepRow[] {
  const made = new Map(observations.map(({ seq, observation }) => [seq, observation.id]));
  const spoken = new Set(entries.filter(isModelReply).map(({ key }) => stepKeyOf(key).name));
  return entries.map((entry) => {
    const { path, name } = stepKeyOf(entry.key);
    const observation = made.get(entry.seq);
    return {
      seq: entry.seq,
      path,
      name,
      kind: kindOf(entry, spoken),
      at: entry.at,
      ...(observation !== undefined && { observation }),
      ...(hasFailed(entry) && { failed: true }),
    };
  });
}

/** A model's step that was cut off recorded no reply, but others of its name did. */
function kindOf(entry: JournalEntry, spoken: ReadonlySet<string>): StepRow['kind'] {
  const { kind, name } = stepKeyOf(entry.key);
  if (kind === 'wait' && name.startsWith('approve:')) return 'approval';
  if (kind !== 'step') return 'other';
  if (name.startsWith('tool.')) return 'tool';
  return isModelReply(entry) || (entry.error && spoken.has(name)) ? 'model' : 'other';
}

/** What `callModel` and `executeCall` record of a failure is a value. */
function hasFailed(entry: JournalEntry): boolean {
  const { value, error } = entry;
  if (error) return true;
  if (isModelReply(entry)) return Reflect.get(Object(value), 'type') !== 'reply';
  const { kind, name } = stepKeyOf(entry.key);
  return kind === 'step' && name.startsWith('tool.') && Reflect.get(Object(value), 'status') !== 'ok';
}
