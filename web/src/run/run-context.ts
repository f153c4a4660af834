import { createContext, useContext } from 'react';
import type { RunView } from '../api/shapes.ts';
import type { FollowedEvents } from '../api/use-run-events.ts';

export interface ShownRun {
  run: RunView;
  followed: FollowedEvents;
}

export const RunContext = createContext<ShownRun | undefined>(undefined);

/** The run of the page, for its tabs. */
export function useShownRun(): ShownRun {
  const shown = useContext(RunContext);
  if (!shown) throw new Error('A tab of a run stands outside the page of a run.');
  return shown;
}
