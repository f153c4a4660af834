/**
 * The prompts and observations of a recorded run, as they were: every model call with its messages, every observation whole, those of other
 * attempts, samples and branches too. For a run that goes on, waits, has ended or is parked: as far as it is recorded.
 */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { AgentOptions } from './agent-options.ts';
import type { Observation } from './core/attempt.ts';
import type { HeardCall } from './model/model.ts';
import { replayRun, waysToReplay } from './replay-run.ts';
import type { JournalEntry } from './runtime/durable.ts';
import type { Recording, ReplayEnd } from './runtime/replay-journal.ts';
import { stepKeyOf } from './runtime/step-key.ts';
import type { Outcome } from './tools/execute.ts';

/** A model call in journal order. Its prompt is `RebuiltRun.prompt`. */
export interface RebuiltCall extends Omit<HeardCall, 'transcript'> {
  index: number;
  /** Its journal entry; absent for a call that was cut off. */
  seq: number | undefined;
  /** Of the prompt. */
  messages: number;
  /** Leading messages that are byte for byte those of the call before it in the same path. */
  shared: number;
}

export interface RebuiltObservation {
  observation: Observation;
  /** The entry of the tool step it came out of; absent where a human or the program said no before one was made. */
  seq: number | undefined;
}

export interface RebuildOptions {
  /** Milliseconds. Default 10,000. */
  waitMs?: number | undefined;
  /** Bytes of prompts that are kept at most; what a prompt shares with the one before is kept once. Default 64 MiB. */
  mostBytes?: number | undefined;
}

const defaults = { waitMs: 10_000, mostBytes: 64 * 2 ** 20 };

/**
 * Rebuilds a run by the options of the agent it was made with. Where the code or its inputs have changed since, what comes before that is
 * given. Nothing is executed.
 */
export async function rebuildRun(
  recording: Recording,
  agent: AgentOptions,
  options: RebuildOptions = {},
): Promise<RebuiltRun> {
  let best: RebuiltRun | undefined;
  for (const way of waysToReplay(agent)) {
    const stop = new AbortController();
    const run = new RebuiltRun(recording, {
      mostBytes: options.mostBytes ?? defaults.mostBytes,
      full: () => stop.abort(),
    });
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(options.waitMs ?? defaults.waitMs)]);
    const { onModelCall, onObservation } = run;
    run.finish(await replayRun(recording, agent, { ...way, witness: { onModelCall, onObservation }, signal }));
    if (!best || run.calls.length > best.calls.length) best = run;
    if (run.complete) return run;
  }
  // There is a way for every model.
  return best as RebuiltRun;
}

interface KeptPrompt {
  /** The call before it in the same path, whose first `shared` messages come before these. */
  before: number | undefined;
  shared: number;
  added: readonly LanguageModelV4Message[];
}

/** What a replay saw. */
export class RebuiltRun {
  readonly calls: RebuiltCall[] = [];
  readonly observations: RebuiltObservation[] = [];
  /** Every recorded reply has its prompt. Else `why` says what is missing. */
  complete = false;
  why: string | undefined;
  /** Of the prompts that are kept. */
  bytes = 0;
  readonly #recording: Recording;
  readonly #limit: { mostBytes: number; full(): void };
  readonly #seqOf: ReadonlyMap<unknown, number>;
  readonly #prompts: KeptPrompt[] = [];
  /** By path: the index of its last call, and its messages. */
  readonly #last = new Map<string, { index: number; messages: readonly LanguageModelV4Message[] }>();

  constructor(recording: Recording, limit: { mostBytes: number; full(): void }) {
    this.#recording = recording;
    this.#limit = limit;
    // A replay gives the very values of the entries.
    this.#seqOf = new Map(recording.entries.map(({ value, seq }) => [value, seq]));
  }

  /** The messages of a call, in the provider specification. */
  prompt(index: number): LanguageModelV4Message[] {
    const parts: LanguageModelV4Message[][] = [];
    let wanted = Number.POSITIVE_INFINITY;
    for (let at: number | undefined = index; at !== undefined && wanted > 0; ) {
      const kept: KeptPrompt | undefined = this.#prompts[at];
      if (!kept) break;
      if (wanted > kept.shared) parts.push(kept.added.slice(0, wanted - kept.shared));
      wanted = Math.min(wanted, kept.shared);
      at = kept.before;
    }
    return parts.reverse().flat();
  }

  readonly onModelCall = ({ transcript, ...call }: HeardCall): void => {
    const { messages } = transcript;
    const before = this.#last.get(call.path);
    const shared = before ? sharedMessages(before.messages, messages) : 0;
    const index = this.calls.length;
    const added = messages.slice(shared);
    this.calls.push({ ...call, index, seq: this.#seqOf.get(call.reply), messages: messages.length, shared });
    this.#prompts.push({ before: before?.index, shared, added });
    this.#last.set(call.path, { index, messages });
    this.bytes += JSON.stringify(added).length;
    if (this.bytes > this.#limit.mostBytes) this.#limit.full();
  };

  readonly onObservation = (observation: Observation, outcome: Outcome): void => {
    this.observations.push({ observation, seq: this.#seqOf.get(outcome) });
  };

  /** Called once, when the replay is over. */
  finish(end: ReplayEnd): void {
    this.#last.clear();
    this.#placeTimeouts();
    this.why = this.#missing(end);
    this.complete = this.why === undefined;
  }

  #missing(end: ReplayEnd): string | undefined {
    if (end.type === 'parked') return end.error.message;
    const { entries, cut } = this.#recording;
    if (this.bytes > this.#limit.mostBytes)
      return `the prompts are larger than ${this.#limit.mostBytes} bytes, and no more are kept`;
    if (end.type === 'stopped') return 'the replay took too long and was stopped';
    if (cut) return `the journal has more than ${entries.length} entries, and no more were replayed`;
    const heard = new Set(this.calls.map(({ seq }) => seq));
    const unheard = entries.filter((entry) => isModelReply(entry) && !heard.has(entry.seq));
    return unheard.length > 0 ? `${unheard.length} recorded replies came too late to be used by the run` : undefined;
  }

  /** The outcome of a call that hung is made from a recorded failure, so it is none of the entries' values: they come in the same order. */
  #placeTimeouts(): void {
    const timeouts = Map.groupBy(
      this.#recording.entries.filter(({ error }) => error?.name === 'TimeoutError'),
      ({ key }) => {
        const { path, name } = stepKeyOf(key);
        return `${path}/${name}`;
      },
    );
    for (const made of this.observations) {
      const { path, tool, status } = made.observation;
      if (made.seq === undefined && status === 'timeout') made.seq = timeouts.get(`${path}/tool.${tool}`)?.shift()?.seq;
    }
  }
}

function sharedMessages(
  before: readonly LanguageModelV4Message[],
  messages: readonly LanguageModelV4Message[],
): number {
  const different = messages.findIndex((message, at) => {
    const earlier = before[at];
    return earlier === undefined || (earlier !== message && JSON.stringify(earlier) !== JSON.stringify(message));
  });
  return different < 0 ? messages.length : different;
}

/** Whether an entry holds what a model step records: `ModelReply`. */
export function isModelReply({ value }: Pick<JournalEntry, 'value'>): boolean {
  return typeof value === 'object' && value !== null && 'fingerprint' in value && 'usage' in value;
}
