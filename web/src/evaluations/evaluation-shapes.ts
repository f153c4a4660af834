/** Evaluations as the server answers them. Shares are 0 to 1, times milliseconds; a figure that nobody knows is null. */

export interface Share {
  count: number;
  of: number;
  rate: number | null;
  low: number | null;
  high: number | null;
}

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface EvaluationSummary {
  suite: string;
  id: string;
  began: number;
  ended?: number;
  tasks: number;
  repeats: number;
  configurations: number;
  subject: string;
  success: Share | null;
}

export interface Comparison {
  a: string;
  b: string;
  tasks: number;
  difference: Estimate;
  pValue: number | null;
  costRatio: number | null;
  costUnit: 'usd' | 'tokens';
  latencyRatio: number | null;
  finding: 'better' | 'worse' | 'noise';
}

export interface ConfigurationMetrics {
  configuration: string;
  runs: number;
  success: Share;
  silentFailures: Share;
  evidenceErrors: Share;
  p95LatencyMs: number | null;
  usdPerSuccess: number | null;
  tokensPerSuccess: number | null;
}

export interface CostPoint {
  /** From 1, in the order of the configurations. */
  number: number;
  configuration: string;
  cost: Estimate;
  success: Share;
  /** None is both cheaper and better. */
  frontier: boolean;
}

export interface Costs {
  unit: 'usd' | 'tokens';
  points: CostPoint[];
}

export interface MechanismVerdict {
  mechanism: string;
  added: Comparison;
  leftOut?: Comparison;
  verdict: 'keep' | 'drop' | 'not-enough-data';
  why: string;
  tasksNeeded?: number;
}

export interface Ablation {
  rungs: string[];
  verdicts: MechanismVerdict[];
  control?: { configuration: string; samples: number; comparison: Comparison; why: string };
  recommended: string[];
}

export interface LayerRow {
  layer: string;
  count: number;
  byConfiguration: Record<string, number>;
  remedies: string[];
  byModel: number;
  byNobody: number;
}

export interface FailedRun {
  configuration: string;
  task: string;
  repeat: number;
  runId: string;
  outcome: 'failure' | 'degraded' | 'broken' | 'not-run' | 'success';
  why: string;
  layer?: string;
  labelledBy?: string;
  remedy?: string;
}

export interface EvaluationReport {
  header: {
    id: string;
    suite: string;
    description?: string;
    began: number;
    ended?: number;
    tasks: number;
    repeats: number;
    baseline: string;
    subject: string;
    version: string;
  };
  planned: number;
  models: { id: string; source: string; configurations: string[] }[];
  metrics: ConfigurationMetrics[];
  comparisons: Comparison[];
  costs: Costs;
  ablation?: Ablation;
  layers: LayerRow[];
  criteria: { label: string; wanted: string; found: string; met: boolean }[];
  failed: FailedRun[];
}

/** Sources behind which a language model answers; all others stand in for one. */
const languageModels: ReadonlySet<string> = new Set(['provider', 'local']);

/** The models whose figures say nothing about a real model. */
export function standIns({ models }: Pick<EvaluationReport, 'models'>): EvaluationReport['models'] {
  return models.filter(({ source }) => !languageModels.has(source));
}
