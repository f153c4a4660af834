/** Rebuilds the conversation of a recorded run: what its loop said and was told, up to the answer. */
import type { AgentOptions } from '../../agent.ts';
import type { Attempt } from '../../core/attempt.ts';
import { canonicalJson } from '../../core/json.ts';
import type { Result } from '../../core/result.ts';
import { replayRun, waysToReplay } from '../../replay-run.ts';
import type { Recording } from '../../runtime/replay-journal.ts';
import { protocolOf, specsOf } from '../../solver/react/protocol.ts';
import { react } from '../../solver/react/react.ts';
import type { NamedSolver, Run } from '../../solver/solver.ts';
import { chatOf, chatTools } from './chat.ts';
import type { ChatTool, Conversation } from './export-run.ts';

/** Longer than any replay takes. */
const mostMs = 30_000;

/**
 * The conversation that led to the run's answer, by the agent it was made with. Undefined where the code or its inputs have changed
 * since, and where the answer came out of no conversation of the loop: a rewrite, a composed answer, the `direct` solver.
 */
export async function rebuildConversation(
  recording: Recording,
  result: Result,
  options: AgentOptions,
): Promise<Conversation | undefined> {
  for (const way of waysToReplay(options)) {
    const seen: Conversed[] = [];
    const solver = watched(options.solver ?? react(), seen);
    await replayRun(recording, { ...options, solver }, { ...way, signal: AbortSignal.timeout(mostMs) });
    const found = conversationOf(seen, result);
    if (found) return found;
  }
  return undefined;
}

interface Conversed {
  attempt: Attempt;
  tools: ChatTool[];
}

/** An attempt with the run's answer and claims ended with a recorded reply, and that reply vouches for all messages before it. */
function conversationOf(seen: readonly Conversed[], { answer, attempt }: Result): Conversation | undefined {
  const claims = canonicalJson(attempt.claims);
  const last = seen.findLast((made) => made.attempt.answer === answer && canonicalJson(made.attempt.claims) === claims);
  const messages = last?.attempt.state?.transcript.messages;
  return last && messages && { messages: chatOf(messages), tools: last.tools };
}

/** The solver, with its attempts kept: a Result has no transcript. */
function watched(solver: NamedSolver, seen: Conversed[]): NamedSolver {
  const solve = async (...[brief, run]: Parameters<NamedSolver['solve']>): Promise<Attempt> => {
    const attempt = await solver.solve(brief, run);
    seen.push({ attempt, tools: toolsOf(attempt, run) });
    return attempt;
  };
  return { ...solver, solve };
}

function toolsOf({ state }: Attempt, run: Run): ChatTool[] {
  return state && !protocolOf(run).textual ? chatTools(specsOf(run, state)) : [];
}
