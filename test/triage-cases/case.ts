import type { FailedRun } from '../../src/evals/triage/failed-run.ts';
import type { Trace } from './trace.ts';
import type { World } from './world.ts';

/** How a trace with this cause is written. What it leaves out of the task is the world's. */
export interface Made {
  run: Omit<FailedRun, 'task'>;
  task?: Partial<FailedRun['task']>;
}

/** A cause of failure; the layer of its cases follows from the cause and not from what any rule says. */
export type Cause = (world: World, trace: Trace) => Made;

/** What a harmless sign of another layer would change the cause of. */
export type Sign = 'plan' | 'tool-trouble' | 'lesson' | 'faults';

export interface KnownCause {
  make: Cause;
  /** Signs that belong to the cause, so that they must not be added at random. */
  without?: readonly Sign[];
}
