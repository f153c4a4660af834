/** The calls of a run that wait for a human's word. */
import { UsageError } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import type { RunInfo } from '../runtime/durable.ts';
import { cleanLine, escapeHidden } from './clean.ts';
import { foreignHosts, shownArguments } from './shown-arguments.ts';

export interface PendingCall {
  /** What a decision is sent to. */
  signal: string;
  callId: string;
  /** Its place among all calls of the run that were ever asked about, from 1: a decision on another one does not change it. */
  number: number;
  /** Undefined when the event that told of it was lost. */
  request: { tool: string; args: unknown; why: string } | undefined;
}

const prefix = 'approve:';

/** The waiting calls in the order in which the run waits for them. */
export function pendingCalls(run: RunInfo, events: readonly RunEvent[]): PendingCall[] {
  const waiting = run.waitingFor.filter((signal) => signal.startsWith(prefix));
  const requests = events.filter((event) => event.type === 'approval.requested');
  const asked = [...new Set([...requests.map(({ signal }) => signal), ...waiting])];
  return waiting.map((signal) => ({
    signal,
    callId: signal.slice(signal.indexOf(':', prefix.length) + 1),
    number: asked.indexOf(signal) + 1,
    request: requests.findLast((request) => request.signal === signal),
  }));
}

/** The one that was named by its number in the list or by its call id; the only one when none was named. */
export function chosenCalls(
  pending: readonly PendingCall[],
  choice: { call?: string | undefined; all?: boolean | undefined },
): readonly PendingCall[] {
  if (choice.all) return pending;
  if (choice.call === undefined) {
    if (pending.length === 1) return pending;
    throw new UsageError(
      `${pending.length} calls wait for a decision. Name one by its number or id, or give --all:\n${callList(pending)}`,
    );
  }
  const named = pending.find((call) => call.callId === choice.call || String(call.number) === choice.call);
  if (named) return [named];
  throw new UsageError(`No waiting call is '${choice.call}'. These wait:\n${callList(pending)}`);
}

/** The calls as a numbered list with everything an approver has to see. */
export function callList(pending: readonly PendingCall[]): string {
  return pending
    .map((call) => {
      const [head, ...rest] = describeCall(call);
      return [`  ${call.number}. ${head} (${escapeHidden(call.callId)})`, ...rest.map((line) => `     ${line}`)].join(
        '\n',
      );
    })
    .join('\n');
}

/** Tool, arguments with nothing hidden, and why a human is asked. */
export function describeCall({ request }: Pick<PendingCall, 'request'>): string[] {
  if (!request) return ['a call that no stored event describes'];
  const { tool, args, why } = request;
  const hosts = foreignHosts(args).map((host) => `careful: the host is ${host}, which may look like another one`);
  return [cleanLine(tool), shownArguments(args), ...hosts, `why: ${cleanLine(why)}`];
}
