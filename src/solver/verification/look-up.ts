import type { Observation } from '../../core/attempt.ts';
import { start } from '../react/react.ts';
import { takeTurn } from '../react/take-turn.ts';
import type { Run } from '../solver.ts';
import type { Inquiry } from './answers.ts';
import { lookUpObjective } from './prompts.ts';

/** Turns of one look-up: the verifier fills a gap, it does not solve the task again. */
const mostTurns = 4;

/**
 * What the verifier looks up itself for its questions (CRITIC, Gou et al. 2024, section 3): a bounded loop on a fresh state, in which only
 * tools with effect `read` exist. It sees the task, the observations and the questions, not the draft. The new observations are numbered on
 * from the attempt's; whatever ended the loop, they are kept.
 */
export async function lookUp(questions: readonly string[], { attempt, brief, run }: Inquiry): Promise<Observation[]> {
  const reader = readerOf(run);
  if (reader.tools.size === 0) return [];
  // Not a part of the task: a model wrote the questions after it had read untrusted results, so they are not the user's word.
  const objective = lookUpObjective(questions);
  let state = start({ task: brief.task, objective, notes: [], evidence: attempt.observations }, reader);
  for (let turn = 1; turn <= mostTurns; turn++) {
    const outcome = await takeTurn(state, reader);
    state = outcome.state;
    if (outcome.type !== 'continue') break;
  }
  return state.observations.slice(attempt.observations.length);
}

/** The run as the verifier has it: its own model acts, and nothing has an effect. */
function readerOf(run: Run): Run {
  const reads = [...run.tools].filter(([, tool]) => tool.effect === 'read');
  const verifier = run.model('verifier');
  const scoped = run.scope('verify.look-up').with({ speculative: true });
  return { ...scoped, model: () => verifier, sizeOf: () => run.sizeOf?.('verifier'), tools: new Map(reads) };
}
