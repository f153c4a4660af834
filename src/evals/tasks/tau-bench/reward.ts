import * as z from 'zod';
import { canonicalJson, type Json } from '../../../core/json.ts';
import type { Grade, Graded, Grader } from '../../grader.ts';
import type { EvalTask } from '../../suite.ts';
import { type Ending, endings } from './conversation.ts';
import type { Changes, RecordedCall } from './desk.ts';

/** What a task of tau-bench is graded by. It is the task's `expected`: no agent sees it. */
export interface Expected {
  /** What the simulated customer wants and knows. */
  instruction: string;
  /** Calls that leave the database as it should be. */
  actions: RecordedCall[];
  /** Texts that the customer has to be told. */
  outputs: string[];
}

export const Expected: z.ZodType<Expected> = z.object({
  instruction: z.string(),
  actions: z.array(z.object({ name: z.string(), args: z.record(z.string(), z.json()) })),
  outputs: z.array(z.string()),
});

/** What a run leaves behind. */
export type TauBenchState = {
  changes: Changes;
  replies: string[];
  /** Null while the customer waits. */
  ended: Ending | null;
};

const TauBenchState: z.ZodType<TauBenchState> = z.object({
  changes: z.record(z.string(), z.json()),
  replies: z.array(z.string()),
  ended: z.enum(endings).nullable(),
});

/**
 * The reward of tau-bench (Yao et al. 2024, section 3): 1 if the customer or a transfer has ended the conversation, the database is what
 * the task's own calls make of a fresh copy, and each expected output stands in a reply, case folded and without commas; else 0.
 * A conversation that nobody ended has no reward: a run that does nothing would pass wherever nothing is to be changed.
 */
export function tauBenchReward(options: {
  config: Json;
  /** The changes that the task's calls make. */
  expectedChanges(task: EvalTask): Promise<Changes>;
}): Grader {
  return {
    name: 'tau-bench-reward',
    knows: 'reference',
    config: options.config,
    reads: 'state',
    async grade({ task, state }: Graded): Promise<Grade> {
      const left = TauBenchState.safeParse(state);
      if (!left.success)
        return { pass: false, score: 0, why: 'the run left no state of a conversation and a database' };
      const { outputs } = Expected.parse(task.expected);
      const why = missing(left.data, { changes: await options.expectedChanges(task), outputs });
      return why === undefined
        ? { pass: true, score: 1, why: 'the database and the replies are as expected' }
        : { pass: false, score: 0, why };
    },
  };
}

/** The first thing that is not as it should be. */
export function missing(
  left: TauBenchState,
  expected: { changes: Changes; outputs: readonly string[] },
): string | undefined {
  if (left.ended === null) return 'the conversation was not brought to an end';
  if (left.ended === 'turns') return 'the conversation was cut at its last turn';
  const wrong = differing(left.changes, expected.changes);
  if (wrong.length > 0) return `the database is not as expected in ${wrong.join(', ')}`;
  const unsaid = expected.outputs.filter((output) => !left.replies.some((reply) => says(reply, output)));
  return unsaid.length > 0 ? `no reply says ${unsaid.map((output) => JSON.stringify(output)).join(', ')}` : undefined;
}

/** The records that two runs from the same database left different. */
function differing(a: Changes, b: Changes): string[] {
  const ids = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...ids].filter((id) => canonicalJson(a[id]) !== canonicalJson(b[id])).sort();
}

function says(reply: string, output: string): boolean {
  return reply.replaceAll(',', '').toLowerCase().includes(output.toLowerCase());
}
