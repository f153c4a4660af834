import { canonicalArguments, type WaitingCall } from '../approvals.ts';

/** The calls that wait for a human as a list for people, with nothing of their arguments hidden. */
export function waitingText(calls: readonly WaitingCall[]): string {
  return calls
    .map(({ call, request }, index) =>
      request
        ? `${index + 1}. ${request.tool} ${canonicalArguments(request.args)}\n   why: ${request.why}\n   call: ${call}`
        : `${index + 1}. a call that no event describes\n   call: ${call}`,
    )
    .join('\n');
}
