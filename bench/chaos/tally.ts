import { existsSync, readFileSync } from 'node:fs';
import type { JournalEntry } from '../../src/runtime/durable.ts';

/** What became of the steps of the runs that ended. */
export interface ChaosTally {
  recorded: number;
  executed: number;
  /** Executions that left no record: their worker or the engine died before. */
  repeated: number;
  /** Steps that were executed after their result was recorded, or at-most-once steps executed twice. Each is an error. */
  wrong: string[];
  /** At-most-once steps that ended as uncertain. */
  uncertain: number;
}

/** The nonces of every execution of a step, in order, by `run/key`. */
export function executionsIn(effects: string): Map<string, string[]> {
  const executions = new Map<string, string[]>();
  const lines = existsSync(effects) ? readFileSync(effects, 'utf8').split('\n') : [];
  for (const line of lines) {
    const [key = '', nonce] = line.split(' ');
    if (nonce !== undefined) executions.set(key, [...(executions.get(key) ?? []), nonce]);
  }
  return executions;
}

/** Holds the journals of runs against what was really executed. */
export async function tallyOf(
  journals: Iterable<{ run: string; entries: AsyncIterable<JournalEntry> }>,
  executions: ReadonlyMap<string, readonly string[]>,
): Promise<ChaosTally> {
  const tally: ChaosTally = { recorded: 0, executed: 0, repeated: 0, wrong: [], uncertain: 0 };
  for (const { run, entries } of journals) {
    const seen = new Set<string>();
    for await (const entry of entries) {
      const step = `${run}/${entry.key}`;
      if (seen.has(step)) tally.wrong.push(`${step} is recorded twice`);
      seen.add(step);
      const nonces = executions.get(step);
      if (nonces) count(tally, step, entry, nonces);
    }
  }
  return tally;
}

function count(tally: ChaosTally, step: string, entry: JournalEntry, nonces: readonly string[]): void {
  tally.recorded++;
  tally.executed += nonces.length;
  tally.repeated += nonces.length - 1;
  const isTool = /\/tool(#\d+)?$/.test(step);
  if (isTool && nonces.length > 1) tally.wrong.push(`${step} must run once and ran ${nonces.length} times`);
  if (entry.error?.name === 'UncertainOutcomeError') tally.uncertain++;
  else if (entry.value !== nonces.at(-1)) tally.wrong.push(`${step} ran again after its result was recorded`);
}
