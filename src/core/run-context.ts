import type { Budget } from './budget.ts';
import type { EventBody } from './event.ts';
import type { Step } from './step.ts';

/** What every port needs of a run: journaled steps, the budget, and a place for facts. `Run` of the solver is one. */
export interface RunContext {
  readonly runId: string;
  /** Where in the run this is; part of every step key and every observation. */
  readonly path: string;
  readonly budget: Budget;
  /** A journaled side effect; it also knows whether its closure ran, which makes `RunEvent.live` right. */
  readonly step: Step;
  /** Whether anybody listens: what is dear to make need not be made otherwise. */
  readonly watched: boolean;
  emit(event: EventBody): void;
  /** The journal's clock in milliseconds: what this branch last saw happen. */
  now(): number;
}
