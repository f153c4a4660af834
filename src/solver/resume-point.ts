import type { JournalEntry } from '../runtime/durable.ts';

/**
 * The last entry before a limit showed in the journal: before the first refusal by the budget and before the first last answer. A fork
 * there with higher limits goes on as if the limit had been higher from the start. Undefined when no limit shows.
 * An effect that was refused is preceded by its intent, which goes too: alone it would say that the effect may have happened.
 */
export async function resumePoint(entries: AsyncIterable<JournalEntry>): Promise<number | undefined> {
  const intents = new Map<string, number>();
  for await (const entry of entries) {
    if (entry.key.endsWith('!')) intents.set(entry.key, entry.seq);
    if (showsLimit(entry.value) || outlastedTheRun(entry)) return (intents.get(`${entry.key}!`) ?? entry.seq) - 1;
  }
  return undefined;
}

/** A step that the time of the run cut off: all but those of tools, which have a time of their own. */
function outlastedTheRun({ key, error }: JournalEntry): boolean {
  return error?.name === 'TimeoutError' && !/(^|\/)(tool|reconcile)\.[^/]*$/.test(key);
}

/** Matches what a model call and a tool call record: `ModelReply` and `Outcome`. */
function showsLimit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const refused = 'type' in value && value.type === 'refused' && 'limit' in value;
  return refused || 'limited' in value || 'lastAnswer' in value;
}
