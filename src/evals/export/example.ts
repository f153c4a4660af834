import type { ExportRun, ExportVerdict } from './export-run.ts';

/** An answer that may be used, with the word of somebody outside on it. */
export interface JudgedAnswer {
  runId: string;
  answer: string;
  verdict: ExportVerdict;
  /** The run's answer, not one of its earlier versions. */
  isFinal: boolean;
  /** Its run called tools. */
  usedTools: boolean;
}

/** A run that passed the filters, with those of its answers that did. */
export interface SelectedRun {
  run: ExportRun;
  answers: JudgedAnswer[];
}

/** The selected runs of one task. */
export interface TaskGroup {
  taskKey: string;
  split: Split;
  runs: SelectedRun[];
}

export type Split = 'train' | 'validation';

/** What one line, or several that belong together, are made of. */
export interface Example {
  rows: object[];
  answers: readonly JudgedAnswer[];
  /** The row holds the real conversation. */
  rebuilt: boolean;
  /** An answer rests on tool results that the row does not hold. */
  unseenEvidence: boolean;
}
