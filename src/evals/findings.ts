/** What an evaluation concludes: which mechanism pays, and where failures come from. All of it is JSON. */
import type { Comparison, ConfigurationMetrics, Estimate, Evaluation } from './evaluation.ts';

/** The mechanisms that are added one after the other, in this order. */
export const mechanisms = [
  'react',
  'plan',
  'verification',
  'refine',
  'lessons',
  'reflexion',
  'self-consistency',
] as const;

export type Mechanism = (typeof mechanisms)[number];

/** Where a failure comes from (the layer whose mechanism would have met it), or what no mechanism mends. */
export const failureLayers = ['decompose', 'search', 'act', 'verify', 'memory', 'model', 'environment'] as const;

export type FailureLayer = (typeof failureLayers)[number];

/** What a piece of evidence for a label points to. */
export interface LabelEvidence {
  /** An observation, an event or a field, such as `obs-3`, `verify.report#2`, `answer`. */
  where: string;
  /** The words there, cut to what a reader needs. */
  text: string;
}

/** Why a run failed. */
export interface FailureLabel {
  runId: string;
  task: string;
  configuration?: string | undefined;
  layer: FailureLayer;
  /** The rule that decided, such as `tool-error-loop`; `model` when a model was asked, `none` when nobody knew. */
  rule: string;
  /** Who decided: code, a model (marked), or nobody. */
  by: 'rule' | 'model' | 'nobody';
  /** One sentence. */
  why: string;
  evidence: LabelEvidence[];
  /** The mechanism to add, from the selection table. */
  remedy: string;
}

/** What adding a mechanism did, and what to do with it. */
export interface MechanismVerdict {
  mechanism: Mechanism;
  /** The configurations with and without it that were compared: neighbouring rungs. */
  added: Comparison;
  /** The whole ladder against the whole ladder without it, where it was measured. */
  leftOut?: Comparison | undefined;
  verdict: 'keep' | 'drop' | 'not-enough-data';
  /** One sentence with the numbers that decided. */
  why: string;
  /** Tasks with which the observed difference would be told from noise with a power of 80 %; undefined where no number would do. */
  tasksNeeded?: number | undefined;
}

/** Plain samples of the baseline for the same spend as the best configuration. */
export interface EqualBudgetControl {
  configuration: string;
  samples: number;
  comparison: Comparison;
  why: string;
}

export interface AblationFindings {
  /** The configurations of the ladder from the bottom. */
  rungs: string[];
  verdicts: MechanismVerdict[];
  control?: EqualBudgetControl | undefined;
  /** The mechanisms to use, in order; empty: the direct answer. */
  recommended: Mechanism[];
  /** Runs of lessons with one recalled against the same tasks on the rung below. */
  lessonUplift?: Estimate | undefined;
}

/** All a report shows. */
export interface EvaluationReport {
  evaluation: Evaluation;
  metrics: ConfigurationMetrics[];
  /** Each configuration against the baseline. */
  comparisons: Comparison[];
  ablation?: AblationFindings | undefined;
  failures?: FailureLabel[] | undefined;
}
