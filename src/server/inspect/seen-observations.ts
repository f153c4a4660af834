import type { Observation } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import type { JournalEntry, RunInfo } from '../../runtime/durable.ts';
import { stepKeyOf } from '../../runtime/step-key.ts';
import { storedResult } from '../../stored-result.ts';
import type { InspectedRun } from './inspected-run.ts';

export interface SeenObservation {
  observation: Observation;
  /** The journal entry of the tool step it came out of, where that is known. */
  seq: number | undefined;
  /** Only its beginning is known. */
  beginning?: true;
}

type Told = Extract<RunEvent, { type: 'tool.result' }>;

/**
 * Every observation of a run, of all attempts and branches, in the order of their events. What a replay does not come by, since the code has
 * changed, is put together from the events, the Result and the journal.
 */
export async function seenObservations(
  inspected: InspectedRun | undefined,
  run: RunInfo,
  readEvents: () => Promise<readonly RunEvent[]> | readonly RunEvent[],
): Promise<SeenObservation[]> {
  const replayed: SeenObservation[] = inspected?.rebuilt.observations ?? [];
  if (inspected?.rebuilt.complete) return [...replayed];
  const events = await readEvents();
  const known = new Set(replayed.map(({ observation: { path, id } }) => placeOf(path, id)));
  const others = new Others(inspected?.entries ?? [], { run, events, taken: new Set(replayed.map(({ seq }) => seq)) });
  const told = events.filter((event) => event.type === 'tool.result');
  const missing = told.filter(({ path, observation }) => !known.has(placeOf(path, observation)));
  return [...replayed, ...missing.map((event) => others.find(event))];
}

function placeOf(path: string, id: string): string {
  return `${path}:${id}`;
}

class Others {
  readonly #entries: readonly JournalEntry[];
  readonly #taken: Set<number | undefined>;
  /** Of the attempt the run ended with. */
  readonly #kept: ReadonlyMap<string, Observation>;
  readonly #args: ReadonlyMap<string, unknown>;

  constructor(
    entries: readonly JournalEntry[],
    known: { run: RunInfo; events: readonly RunEvent[]; taken: Set<number | undefined> },
  ) {
    this.#entries = entries.filter(({ key }) => stepKeyOf(key).kind === 'step');
    this.#taken = known.taken;
    const observations = storedResult(known.run)?.attempt.observations ?? [];
    this.#kept = new Map(observations.map((one) => [placeOf(one.path, one.id), one]));
    const calls = known.events.filter((event) => event.type === 'tool.call');
    this.#args = new Map(calls.map(({ path, observation, args }) => [placeOf(path, observation), args]));
  }

  find(event: Told): SeenObservation {
    const place = placeOf(event.path, event.observation);
    const entry = this.#entries.find((one) => !this.#taken.has(one.seq) && fits(one, event));
    this.#taken.add(entry?.seq);
    const kept = this.#kept.get(place);
    if (kept) return { observation: kept, seq: entry?.seq };
    const content: unknown = entry && Reflect.get(Object(entry.value), 'content');
    const observation: Observation = {
      // The loop numbers them so.
      id: event.observation as Observation['id'],
      path: event.path,
      tool: event.tool,
      args: this.#args.get(place) ?? {},
      // The event has it from an observation.
      status: event.status as Observation['status'],
      content: typeof content === 'string' ? content : event.preview,
      trust: 'untrusted',
    };
    const isWhole = observation.content.length === event.chars;
    return { observation, seq: entry?.seq, ...(!isWhole && { beginning: true }) };
  }
}

/** Whether a tool step recorded what the event tells of: the same place, tool, status and text. */
function fits({ key, value }: JournalEntry, { path, tool, status, chars, preview }: Told): boolean {
  const named = stepKeyOf(key);
  if (named.path !== path || named.name !== `tool.${tool}`) return false;
  const outcome: Partial<Record<string, unknown>> = Object(value);
  const { content } = outcome;
  return (
    outcome['status'] === status &&
    typeof content === 'string' &&
    content.length === chars &&
    content.startsWith(preview)
  );
}
