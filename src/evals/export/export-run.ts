/** What training data are made from: recorded runs with what was said of them from outside. */
import type { Knowledge } from '../../core/attempt.ts';
import type { JsonSchema } from '../../core/json.ts';
import type { Task } from '../../core/task.ts';
import type { ModelSource } from '../../model/capability.ts';

/** What was said of an answer. */
export interface ExportVerdict {
  pass: boolean;
  /** 0 to 1. */
  score: number;
  /** Who said it, such as `checks` or the names of the graders. */
  by: string;
  /** What they know that the model that answered does not. */
  knows: Knowledge;
  /** What was wrong, in words that give no reference away; absent where that is not known to be so. */
  feedback?: string | undefined;
}

/** An answer with its verdict; without one where nobody judged it. */
export interface ExportAnswer {
  answer: string;
  verdict?: ExportVerdict | undefined;
}

/** `unknown`: the run does not tell what stood behind the model. */
export interface ExportModel {
  id: string;
  source: ModelSource | 'unknown';
}

export interface ChatCall {
  id: string;
  name: string;
  /** An object. */
  args: unknown;
}

/** A message of a recorded conversation. Reasoning and what providers signed are not part of it. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  /** `weight` 0: a turn that the program sent back, shown and not learnt. */
  | { role: 'assistant'; content: string; calls: ChatCall[]; weight: 0 | 1 }
  | { role: 'tool'; callId: string; name: string; content: string };

export interface ChatTool {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** What the model saw and said, up to its accepted answer. `tools` is empty where they were told of in the system prompt. */
export interface Conversation {
  messages: ChatMessage[];
  tools: ChatTool[];
}

/** One recorded run. */
export interface ExportRun {
  runId: string;
  /** Runs of one task have the same, whatever prompt their configuration made of it. Splits keep them together. */
  taskKey: string;
  suite?: string | undefined;
  configuration?: string | undefined;
  /** As the agent was given it. */
  task: Task;
  answer?: string | undefined;
  verdict?: ExportVerdict | undefined;
  /** The answer was forced by a limit. */
  degraded: boolean;
  /** A human replaced an observation (`EditedObservation`): nothing of it is true of the world. Default false. */
  edited?: boolean | undefined;
  /** Tools were called, so the answer may rest on more than the task says. */
  usedTools: boolean;
  /** Other answers of this run to the same task: drafts before a revision, trials before the last. */
  versions: ExportAnswer[];
  models: ExportModel[];
  /** Absent where it could not be rebuilt. */
  conversation?: Conversation | undefined;
}
