import type { Json } from '../../core/json.ts';
import type { Task } from '../../core/task.ts';
import type { FaultName } from './faults.ts';

export const taskKinds = ['prices', 'timetable', 'measurements', 'inventory', 'facts', 'code'] as const;

export type TaskKind = (typeof taskKinds)[number];

export type TaskLanguage = 'en' | 'zh';

/** A call that a draft rests on. */
export interface NeededCall {
  tool: string;
  args: Record<string, Json>;
}

/** A claim whose evidence names the text it quotes; the observation's number is known only in a run. */
export interface DraftClaim {
  text: string;
  quotes: string[];
}

/** What an actor says at the end, and the calls it makes before. */
export interface Draft {
  answer: string;
  claims: DraftClaim[];
  calls: NeededCall[];
}

/** A condition of the task as data, for whoever wants to check it by code. */
export type ConditionRule =
  | { type: 'at-most-words'; words: number }
  | { type: 'at-most-characters'; characters: number }
  | { type: 'include'; text: string }
  | { type: 'exclude'; text: string }
  | { type: 'language'; language: TaskLanguage };

/** Tests that a function of a code task has to pass, with the name it must have. */
export interface CodeTests {
  name: string;
  examples: { args: Json[]; result: Json }[];
}

/**
 * A task with a known answer, made from a seed. `right` is true and backed by `documents`. `wrong` holds, for faults that change what is
 * said, what an actor with this fault says of the same facts: each differs from `right` in the answer, a claim or a condition.
 */
export interface GeneratedTask {
  id: string;
  kind: TaskKind;
  language: TaskLanguage;
  task: Task;
  rules: ConditionRule[];
  tests?: CodeTests;
  documents: { title: string; text: string }[];
  right: Draft;
  wrong: Partial<Record<FaultName, Draft>>;
}

/** What a generator of one kind makes; the rest follows from it. */
export type TaskParts = Omit<GeneratedTask, 'id' | 'kind' | 'language' | 'task'> & {
  input: string;
  constraints: string[];
  outputSchema?: Task['outputSchema'];
};
