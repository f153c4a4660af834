import { createInterface } from 'node:readline/promises';
import type { Decision } from '../core/turn.ts';
import { parseJson } from '../model/parse.ts';
import { describeCall, type PendingCall } from './pending-calls.ts';
import type { Screen } from './screen.ts';
import { exactArguments } from './shown-arguments.ts';

const choices =
  '  y = yes, n = no, j = all of the arguments, e JSON = yes with these arguments, or the reason for a no [n]: ';

/** Asks the human at the terminal about one call. Anything but a clear yes is a no; other words are the reason for it. */
export async function askApproval(call: PendingCall, screen: Screen, signal: AbortSignal): Promise<Decision> {
  const [tool = '', ...rest] = describeCall(call);
  screen.note('');
  screen.note(screen.style.bold(`Approve this call?  ${tool}`));
  for (const line of rest) screen.note(`  ${line}`);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  // The reader takes Ctrl-C as a key of its own; the process has to hear of it.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    for (;;) {
      const typed = await reader.question(choices, { signal });
      if (!/^\s*j\s*$/i.test(typed)) return decisionOf(typed);
      screen.note(`  ${call.request ? exactArguments(call.request.args) : 'no stored event has them'}`);
    }
  } finally {
    reader.close();
  }
}

/** What a typed line decides. */
export function decisionOf(typed: string): Decision {
  const word = typed.trim();
  if (/^(y|yes|是|好)$/i.test(word)) return { approved: true };
  const edited = /^e\s+(\{.*\})$/is.exec(word)?.[1];
  if (edited !== undefined) return editedDecision(edited);
  const reason = /^(n|no|否|不)?$/i.test(word) ? 'the user said no' : word;
  return { approved: false, reason };
}

/** An approval with other arguments; JSON that cannot be read strictly approves nothing. */
function editedDecision(text: string): Decision {
  const parsed = parseJson(text);
  if (parsed.ok && parsed.repairs.length === 0) return { approved: true, args: parsed.value };
  return { approved: false, reason: 'the user wanted other arguments, but they were no JSON' };
}
