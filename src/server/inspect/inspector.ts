/**
 * What recorded runs were made of, for those who look at them.
 *
 * 1. Nothing is executed: a run is replayed from its journal (`rebuildRun`).
 * 2. Time, memory and the number of replays at once are bounded. What an ended run was is kept for the next look, the last looked at longest.
 */
import type { Agent } from '../../agent.ts';
import { rebuildRun } from '../../rebuild-run.ts';
import { Limiter } from '../../runtime/limiter.ts';
import { recordingOf } from '../../runtime/replay-journal.ts';
import { isFinished } from '../../runtime/store.ts';
import type { EventStore } from '../../trace/events.ts';
import type { OwnedRun } from '../run-finder.ts';
import type { InspectedRun } from './inspected-run.ts';
import { type SeenObservation, seenObservations } from './seen-observations.ts';

export interface InspectorOptions {
  /** Where a replay is not all there is to go by. */
  events: Pick<EventStore, 'read'>;
  /** Ended runs that are kept at most. Default 8. */
  keep?: number | undefined;
  /** Journal entries of one run that are looked at. Default 20,000. */
  mostEntries?: number | undefined;
}

/** Replays at once in one process. */
const atOnce = 2;
/** Bytes of prompts and observations of all kept runs. */
const keptBytes = 128 * 2 ** 20;

interface Kept {
  /** Runs of other hosts may have the same id. */
  agent: Agent;
  found: Promise<InspectedRun | undefined>;
  /** 0 while it is not known. */
  bytes: number;
}

export class Inspector {
  readonly #events: InspectorOptions['events'];
  readonly #keep: number;
  readonly #mostEntries: number;
  readonly #limiter = new Limiter({ replay: { concurrency: atOnce } });
  /** The last looked at last. */
  readonly #kept = new Map<string, Kept>();

  constructor({ events, keep = 8, mostEntries = 20_000 }: InspectorOptions) {
    this.#events = events;
    this.#keep = keep;
    this.#mostEntries = mostEntries;
  }

  /** Undefined when the journal of the run is no longer kept. Those who ask for one at the same time share a replay. */
  inspect({ agent, run }: Pick<OwnedRun, 'agent' | 'run'>): Promise<InspectedRun | undefined> {
    const key = `${run.state} ${run.updated} ${run.id}`;
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const kept = known?.agent === agent ? known : { agent, found: this.#replay(agent, run.id), bytes: 0 };
    this.#kept.set(key, kept);
    if (kept !== known) {
      kept.found.then(
        (found) => this.#settled(key, kept, isFinished(run.state) ? found : undefined),
        () => this.#settled(key, kept, undefined),
      );
    }
    return kept.found;
  }

  /** Every observation of a run, of all attempts and branches. */
  async observations(owned: Pick<OwnedRun, 'agent' | 'run'>): Promise<SeenObservation[]> {
    return seenObservations(await this.inspect(owned), owned.run, () => this.#events.read(owned.run.id));
  }

  async #replay(agent: Agent, runId: string): Promise<InspectedRun | undefined> {
    const release = await this.#limiter.acquire('replay', new AbortController().signal);
    try {
      const recording = await recordingOf(agent.host, runId, this.#mostEntries);
      if (!recording) return undefined;
      return {
        entries: recording.entries,
        isCut: recording.cut ?? false,
        rebuilt: await rebuildRun(recording, agent.options),
      };
    } finally {
      release();
    }
  }

  #settled(key: string, kept: Kept, found: InspectedRun | undefined): void {
    if (!found) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      return;
    }
    kept.bytes = sizeOf(found);
    let [runs, bytes] = [0, 0];
    for (const [other, one] of [...this.#kept].reverse()) {
      runs++;
      bytes += one.bytes;
      if (one.bytes > 0 && (runs > this.#keep || bytes > keptBytes)) this.#kept.delete(other);
    }
  }
}

function sizeOf({ rebuilt }: InspectedRun): number {
  const contents = rebuilt.observations.map(({ observation }) => observation.content.length);
  return contents.reduce((sum, length) => sum + length, rebuilt.bytes) + 1;
}
