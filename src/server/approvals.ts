/** The calls of a run that wait for a human, from its stored events. */
import { hash } from 'node:crypto';
import type { RunEvent } from '../core/event.ts';
import { canonicalJson } from '../core/json.ts';
import type { RunInfo } from '../runtime/durable.ts';

/** What a human is asked. */
export interface CallRequest
  extends Pick<Extract<RunEvent, { type: 'approval.requested' }>, 'tool' | 'args' | 'why' | 'effect' | 'sources'> {
  /** When, in milliseconds since the epoch. */
  at: number;
}

export interface WaitingCall {
  /** What a decision is sent to on the host. */
  signal: string;
  /** Its name in an address: unique in the run, as the ids of a model's calls need not be. */
  call: string;
  callId: string;
  /** Undefined when the event that told of it was lost. */
  request: CallRequest | undefined;
}

const prefix = 'approve:';

/**
 * In the order in which they were asked. A suspended run says itself what it waits for; one that is still in memory has asked what no
 * event has decided.
 */
export function waitingCalls(run: Pick<RunInfo, 'state' | 'waitingFor'>, events: readonly RunEvent[]): WaitingCall[] {
  if (run.state !== 'suspended' && run.state !== 'running') return [];
  const asked = new Map(
    events.flatMap((event) => (event.type === 'approval.requested' ? [[event.signal, event]] : [])),
  );
  if (run.state === 'running') {
    for (const event of events) if (event.type === 'approval.decided') asked.delete(event.signal);
  }
  const signals =
    run.state === 'suspended' ? run.waitingFor.filter((name) => name.startsWith(prefix)) : [...asked.keys()];
  return signals.map((signal) => {
    const request = asked.get(signal);
    return {
      signal,
      call: hash('sha256', signal).slice(0, 16),
      callId: signal.slice(signal.indexOf(':', prefix.length) + 1),
      request: request && requestOf(request),
    };
  });
}

function requestOf(event: Extract<RunEvent, { type: 'approval.requested' }>): CallRequest {
  const { tool, args, why, effect, sources, at } = event;
  return { tool, args, why, at, ...(effect && { effect }), ...(sources && { sources }) };
}

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]/gu;

/** The arguments as they will run: JSON with sorted keys, in which every character that is not seen is written out. */
export function canonicalArguments(args: unknown): string {
  return canonicalJson(args).replace(unseen, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
