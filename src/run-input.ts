import type { Limits } from './core/budget.ts';
import type { EditedObservation } from './core/edited-observation.ts';
import type { Json } from './core/json.ts';
import type { Task } from './core/task.ts';
import type { StoredSizes, sizedByWorker } from './model/model-size.ts';
import type { Policy } from './tools/policy/policy.ts';

/** What the host stores of a run. */
export interface RunInput {
  task: Task;
  budget: Limits;
  /** The policy the run began with: a process that resumes it under another one must not undo an approval that was asked for. */
  policy: Policy;
  /** How its models are asked; absent where that is as ever. */
  sizes?: StoredSizes | typeof sizedByWorker;
  settings?: Json;
  /** Of a fork that a human gave other observations. */
  edited?: EditedObservation[];
}
