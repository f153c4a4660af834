import type { Durable, DurableHost, JournalEntry, Workflow } from '../runtime/durable.ts';

/** Hosts of one test over one place; opening a second one while the first is closed is a restart. */
export interface Bench {
  /** A host with these workflows; closed after the test. */
  open(...workflows: Workflow[]): DurableHost;
}

export type Case = (title: string, body: (bench: Bench) => Promise<void>) => void;

/** A workflow named `work` of version 1. */
export function work(run: (durable: Durable, input: unknown) => Promise<unknown>, name = 'work'): Workflow {
  return { name, version: 1, run };
}

/** The whole journal of a run. */
export async function entriesOf(host: DurableHost, run: string): Promise<JournalEntry[]> {
  return Array.fromAsync(host.journal(run));
}

/** A promise to be resolved by hand, once; `wait` may be called from any closure. */
export function gate(): { open(): void; wait: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, wait: promise };
}
