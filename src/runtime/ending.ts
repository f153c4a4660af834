import { CancelledError, messageOf, type NondeterminismError, type StateError } from '../core/errors.ts';
import type { RunState } from './durable.ts';
import { record } from './recorded.ts';
import type { RunRecord } from './store.ts';

/** Why a run holds no coroutine any more. */
export type Ending =
  | { type: 'returned'; output: unknown }
  | { type: 'threw'; error: unknown }
  | { type: 'suspended'; waitingFor: string[]; wakeAt: number | undefined }
  | { type: 'parked'; error: NondeterminismError }
  /** The store failed; what it holds is unchanged. */
  | { type: 'halted'; error: StateError }
  | { type: 'closed' };

/** What an ending leaves in the store. */
export type Release = Pick<RunRecord, 'state'> & Partial<Pick<RunRecord, 'waitingFor' | 'wakeAt' | 'output' | 'error'>>;

/** The state a run is left in. */
export function releaseOf(ending: Exclude<Ending, { type: 'closed' | 'halted' }>): Release {
  switch (ending.type) {
    case 'returned':
      return releaseOfOutput(ending.output);
    case 'threw':
      return {
        state: ending.error instanceof CancelledError ? 'cancelled' : 'failed',
        error: messageOf(ending.error),
      };
    case 'suspended':
      return { state: 'suspended', waitingFor: ending.waitingFor, wakeAt: ending.wakeAt };
    case 'parked':
      return { state: 'parked', error: ending.error.message };
    default:
      return ending satisfies never;
  }
}

function releaseOfOutput(output: unknown): Release {
  try {
    return { state: stateOf(output), output: record(output) };
  } catch (error) {
    return { state: 'failed', error: `the workflow's output is not JSON: ${messageOf(error)}` };
  }
}

/** A result carries its own status: the run failed or was cancelled when the output says so. */
function stateOf(output: unknown): RunState {
  const status = typeof output === 'object' && output !== null && 'status' in output ? output.status : undefined;
  return status === 'failed' || status === 'cancelled' ? status : 'completed';
}
