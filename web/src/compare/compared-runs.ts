import type { RunView } from '../api/shapes.ts';

/** Two runs side by side. */
export interface ComparedRuns {
  left: RunView;
  right: RunView;
}
