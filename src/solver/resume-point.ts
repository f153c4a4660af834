import type { JournalEntry } from '../runtime/durable.ts';

/**
 * The last entry before a limit showed in the journal: before the first refusal by the budget and before the first last answer. A fork
 * there with higher limits goes on as if the limit had been higher from the start. Undefined when no limit shows.
 */
export async function resumePoint(entries: AsyncIterable<JournalEntry>): Promise<number | undefined> {
  for await (const entry of entries) {
    if (showsLimit(entry.value)) return entry.seq - 1;
  }
  return undefined;
}

/** Matches what a model call and a tool call record: `ModelReply` and `Outcome`. */
function showsLimit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const refused = 'type' in value && value.type === 'refused' && 'limit' in value;
  return refused || 'limited' in value || 'lastAnswer' in value;
}
