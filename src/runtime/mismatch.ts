import { NondeterminismError } from '../core/errors.ts';
import type { Entry } from './store.ts';

/** A recorded entry that the code does not ask for. `asked` are the keys it asks for instead. */
export function mismatch(runId: string, entry: Entry, asked: readonly string[]): NondeterminismError {
  return new NondeterminismError(
    `run ${runId}: journal entry ${entry.seq} is "${entry.key}", but the code asks for ${asked.join(', ') || 'nothing more'}. The code has changed since the run was recorded, or does I/O outside a step. Resume it with code that fits, or fork it before entry ${entry.seq}`,
  );
}
