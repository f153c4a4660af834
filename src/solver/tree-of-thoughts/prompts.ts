import type { Brief } from '../../core/brief.ts';
import { sourceCharacters } from '../react/context-room.ts';
import { revisionText, taskText, withRevised } from '../react/prompts.ts';
import { dateOf } from '../react/take-turn.ts';
import type { Run } from '../solver.ts';

/** Thought generation (Yao et al. 2023b, section 3, step 2): proposed together, or sampled one by one. */
export function proposeRules(count: number): string {
  const asked = count === 1 ? 'Propose the most promising next step' : `Propose ${count} different next steps`;
  return `ROLE thoughts
A task is solved step by step, and several ways are tried. ${asked} from where the work stands now. Each step is complete in itself, small
enough to be judged and large enough to bring the task forward; it does not repeat what was done. Set answer only in a step that completes
the task, and to the whole answer. Keep every condition of the task. Write in the language of the task.`;
}

/** State evaluation, each by itself (section 3, step 3a). */
export const valueRules = `ROLE value
Judge whether the work on a task, as it stands, can still lead to a right answer: sure, likely, or impossible. Check its facts, its
computations and every condition of the task; look a few steps ahead. Impossible means that something in it is wrong or that no way leads on.`;

/** State evaluation, beside each other (section 3, step 3b). */
export const voteRules = `ROLE vote
Several states of the work on one task. Say by its number which of them is the most promising: right so far, keeping every condition, and
closest to a whole answer. Neither their order nor their length counts.`;

export const completeRules = `ROLE complete
Write the answer to the task from the work that was done. Keep every condition of the task and add no facts. Claims rest only on
observations given in the task, quoted word for word; without any, make no claims. Answer in the language of the task.`;

/** The task with all that outer layers know of it. */
function briefLines(brief: Brief, run: Run): string[] {
  const given = withRevised(brief);
  const shown = sourceCharacters(run, 'actor', given.evidence.length);
  const text = taskText(given, { date: dateOf(run.durable.now()), boundary: run.boundary, shown });
  return brief.revise ? [text, revisionText(brief.revise)] : [text];
}

export function statePrompt(state: string, { brief, run }: { brief: Brief; run: Run }): string {
  return [...briefLines(brief, run), 'The work so far:', state].join('\n');
}

export function votePrompt(states: readonly string[], { brief, run }: { brief: Brief; run: Run }): string {
  const listed = states.map((state, index) => `State ${index + 1}:\n${state}`);
  return [...briefLines(brief, run), ...listed].join('\n');
}
