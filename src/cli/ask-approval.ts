import { createInterface } from 'node:readline/promises';
import type { Decision } from '../core/turn.ts';
import { describeCall, type PendingCall } from './pending-calls.ts';
import type { Screen } from './screen.ts';

/** Asks the human at the terminal about one call. Anything but a clear yes is a no; other words than y and n are the reason for it. */
export async function askApproval(call: PendingCall, screen: Screen, signal: AbortSignal): Promise<Decision> {
  const [tool = '', ...rest] = describeCall(call);
  screen.note('');
  screen.note(screen.style.bold(`Approve this call?  ${tool}`));
  for (const line of rest) screen.note(`  ${line}`);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // The reader takes Ctrl-C as a key of its own; the process has to hear of it.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return decisionOf(await reader.question('  y = yes, n = no, or the reason for a no [n]: ', { signal }));
  } finally {
    reader.close();
  }
}

/** What a typed line decides. */
export function decisionOf(typed: string): Decision {
  const word = typed.trim();
  if (/^(y|yes|是|好)$/i.test(word)) return { approved: true };
  const reason = /^(n|no|否|不)?$/i.test(word) ? 'the user said no' : word;
  return { approved: false, reason };
}
