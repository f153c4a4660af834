import type { Agent } from '../../src/agent.ts';
import type { RunEvent } from '../../src/core/event.ts';
import type { Result } from '../../src/core/result.ts';
import { type FaultyModel, flawsOf, type GeneratedTask } from '../../src/testing/faulty-model.ts';

/** How a run came out, by the facts of its task. */
export type Outcome =
  /** Called good by the program, and it is. */
  | 'right'
  /** The program itself says that the answer is open, cut short or not there. */
  | 'reported'
  /** Called good by the program, and it is not. */
  | 'missed'
  /** Right, but nothing looked at it, and the program says so. */
  | 'unverified'
  /** Wrong or baseless, nothing looked at it, and the program says no more than that. */
  | 'unverified-wrong';

export interface Trial {
  task: GeneratedTask;
  /** How often a faulty reply was given. */
  committed: number;
  /** Who found fault with a reply first: code (a check, the loop, a guard, a limit) or the verifier's model. */
  caughtBy: 'code' | 'verifier' | undefined;
  outcome: Outcome;
  /** What was said against it first, for a reader. */
  said: string | undefined;
  flaws: string[];
  status: string;
}

/** The input as a solver without tools gets it: with the documents. */
export function openBook({ task, documents }: GeneratedTask): string {
  const texts = documents.map(({ title, text }) => `${title}\n${text}`);
  return [task.input, 'The documents:', ...texts].join('\n');
}

/** Runs a task once. `closed`: the solver has no tools. Throws when the program or a simulated model broke. */
export async function runTrial(
  task: GeneratedTask,
  { agent, model, closed }: { agent: Agent; model: FaultyModel; closed: boolean },
): Promise<Trial> {
  const before = model.committed.length;
  const handle = agent.run({ ...task.task, ...(closed && { input: openBook(task) }) });
  const events: RunEvent[] = [];
  for await (const event of handle) events.push(event);
  const result = await handle;
  // A program that breaks reports nothing: it must not be counted as honest.
  if (result.reason.code === 'error' || result.reason.code === 'model-error')
    throw new Error(`${task.id}: the run broke: ${result.reason.detail}`);
  const flaws = flawsOf(task, result.attempt, { closed });
  const objections = events.flatMap(objectionIn);
  const sentBack = events.some((event) => event.type === 'model.call' && isAskedAgain(event, events));
  const { ended } = result.attempt;
  if (ended.type !== 'final') objections.push({ by: 'code', why: ended.detail });
  if (sentBack) objections.unshift({ by: 'code', why: 'the reply was sent back' });
  const [first] = objections;
  return {
    task,
    committed: model.committed.slice(before).filter((fault) => fault.task === task.id).length,
    caughtBy: first?.by,
    outcome: outcomeOf(result, flaws.length > 0),
    said: first?.why,
    flaws,
    status: `${result.status} (${result.reason.code})`,
  };
}

interface Objection {
  by: 'code' | 'verifier';
  why: string;
}

/** A question that is asked once when all goes well. */
function isAskedAgain(call: Extract<RunEvent, { type: 'model.call' }>, events: readonly RunEvent[]): boolean {
  if (call.step !== 'plan' && call.step !== 'direct') return false;
  return events.filter((event) => event.type === 'model.call' && event.step === call.step).length > 1;
}

function objectionIn(event: RunEvent): Objection[] {
  switch (event.type) {
    case 'tool.refused':
    case 'turn.invalid':
    case 'plan.failed':
      return [{ by: 'code', why: event.why }];
    case 'model.repaired':
      return [{ by: 'code', why: `repaired: ${event.how.join(', ')}` }];
    case 'verify.report': {
      const { verdict, by, issues } = event.report;
      if (verdict === 'pass' || verdict === 'unchecked') return [];
      return [{ by: by === 'checks' ? 'code' : 'verifier', why: issues[0]?.detail ?? verdict }];
    }
    default:
      return [];
  }
}

function outcomeOf({ status, reason, answer }: Result, flawed: boolean): Outcome {
  if (status === 'completed' || status === 'revised') return flawed ? 'missed' : 'right';
  if (answer === undefined || reason.code !== 'not-verified') return 'reported';
  return flawed ? 'unverified-wrong' : 'unverified';
}
