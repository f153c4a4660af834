import type { Attempt, Issue, Observation } from './attempt.ts';
import type { Plan, Task } from './task.ts';

/** Something an outer layer wants the solver to know. */
export interface Note {
  from: 'lesson' | 'reflection' | 'step-result' | 'advice';
  text: string;
}

/** What a layer tells the solver inside it: data only; services are in `Run`. */
export interface Brief {
  task: Task;
  /** When set, the part of the task to do now (one plan step); `task` stays what the user asked. */
  objective?: string | undefined;
  notes: Note[];
  /** Observations made before; the solver continues their numbering. */
  evidence: Observation[];
  plan?: Plan | undefined;
  /** Go on with this attempt and mend these issues, instead of starting afresh. */
  revise?: { attempt: Attempt; issues: Issue[] } | undefined;
}
