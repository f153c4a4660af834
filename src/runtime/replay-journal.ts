/**
 * Replays a recorded journal through the code that made it, and does nothing else.
 *
 * 1. No closure is called, no child is started, nothing is written: where the code asks for what the journal does not hold, the replay is
 *    over and the coroutine is dropped.
 * 2. Results are delivered as `Durable` promises it, so the code comes by the same places in the same order.
 */
import type { NondeterminismError } from '../core/errors.ts';
import { Context } from './context.ts';
import type { Durable, DurableHost, JournalEntry, RunBeginning, Workflow } from './durable.ts';
import type { Ending } from './ending.ts';
import { Limiter } from './limiter.ts';
import { LiveRun, type RunKeeper } from './live-run.ts';
import type { Recorded } from './recorded.ts';
import type { RunRecord } from './store.ts';

/** A run as far as it is recorded, finished or not. */
export interface Recording extends RunBeginning {
  id: string;
  entries: readonly JournalEntry[];
  /** The journal is longer: what is beyond was not read. */
  cut?: boolean | undefined;
}

/**
 * `ended`: the code returned or threw. `used-up`: it asks for what is not recorded. `parked`: the journal does not fit it.
 * `stopped`: by the caller's signal.
 */
export type ReplayEnd = { type: 'ended' | 'used-up' | 'stopped' } | { type: 'parked'; error: NondeterminismError };

/**
 * What a host has of a run, with at most so many entries of its journal. Undefined when the run is not there or its journal is no longer
 * kept.
 */
export async function recordingOf(
  host: Pick<DurableHost, 'beginning' | 'journal'>,
  runId: string,
  mostEntries: number = Number.POSITIVE_INFINITY,
): Promise<Recording | undefined> {
  const beginning = await host.beginning(runId);
  if (!beginning) return undefined;
  const entries: JournalEntry[] = [];
  for await (const entry of host.journal(runId)) {
    if (entries.length >= mostEntries) return { ...beginning, id: runId, entries, cut: true };
    entries.push(entry);
  }
  return { ...beginning, id: runId, entries };
}

/** Replays a recording by its workflow. Never rejects; `signal` stops it. The values the code gets are those of the entries, not copies. */
export async function replayJournal(
  workflow: Workflow,
  recording: Recording,
  signal?: AbortSignal,
): Promise<ReplayEnd> {
  const { promise, resolve } = Promise.withResolvers<ReplayEnd>();
  const endAs = (type: 'used-up' | 'stopped') => (): void => {
    resolve({ type });
    run.end({ type: 'closed' });
  };
  const [usedUp, stop] = [endAs('used-up'), endAs('stopped')];
  const run = new LiveRun(recordOf(recording), keeperOf(recording, { usedUp, resolve }));
  signal?.addEventListener('abort', stop, { once: true });
  const context = reading(new Context(run, '', { at: recording.began }), usedUp);
  run.follow((async () => workflow.run(context, recording.input))());
  if (signal?.aborted) stop();
  const end = await promise;
  signal?.removeEventListener('abort', stop);
  return end;
}

function recordOf({ id, workflow, version, seed, began }: Recording): RunRecord {
  const place = { n: 1, id, workflow, version, seed, began, created: began, updated: began };
  return { ...place, state: 'running', waitingFor: [], cancelRequested: false };
}

function keeperOf(
  { entries }: Recording,
  { usedUp, resolve }: { usedUp(): void; resolve(end: ReplayEnd): void },
): RunKeeper {
  return {
    limiter: new Limiter(),
    // A run that only waits has come to the end of its journal.
    suspendAfterMs: 0,
    store: {
      turn: undefined,
      entries: () =>
        entries.map(({ value, ...entry }) => (value === undefined ? entry : { ...entry, value: recordedValue(value) })),
      signal: () => undefined,
      write: usedUp,
    },
    ended: (_run, ending) => {
      const end = endOf(ending);
      if (end) resolve(end);
    },
    beginChild: usedUp,
    cancelChild: () => undefined,
  };
}

function recordedValue(value: unknown): Recorded {
  return {
    get text() {
      return JSON.stringify(value);
    },
    read: () => value,
  };
}

function endOf(ending: Ending): ReplayEnd | undefined {
  switch (ending.type) {
    case 'returned':
    case 'threw':
      return { type: 'ended' };
    case 'suspended':
      return { type: 'used-up' };
    case 'parked':
      return { type: 'parked', error: ending.error };
    // The store does not fail, so the replay itself ended the run and has said so.
    case 'halted':
    case 'closed':
      return undefined;
    default:
      return ending satisfies never;
  }
}

/** The same place with closures that are never called. */
function reading(durable: Durable, usedUp: () => void): Durable {
  const inner = (one: Durable): Durable => reading(one, usedUp);
  return {
    runId: durable.runId,
    path: durable.path,
    seed: durable.seed,
    codeVersion: durable.codeVersion,
    signal: durable.signal,
    step: (name, _closure, options) =>
      durable.step(
        name,
        () => {
          usedUp();
          return new Promise<never>(() => undefined);
        },
        options,
      ),
    scope: (name) => inner(durable.scope(name)),
    sleep: (ms) => durable.sleep(ms),
    waitFor: (signal, options) => durable.waitFor(signal, options),
    parallel: (name, branches, options) =>
      durable.parallel(
        name,
        branches.map((branch) => (one: Durable) => branch(inner(one))),
        options,
      ),
    child: (workflow, name, input) => durable.child(workflow, name, input),
    now: () => durable.now(),
    random: () => durable.random(),
    uuid: () => durable.uuid(),
  };
}
