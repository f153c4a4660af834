/** The shapes an evaluation is kept in, and what is counted from them. All of it is JSON. */
import type { Status } from '../core/result.ts';
import type { Usage } from '../core/usage.ts';
import type { Grade } from './grader.ts';
import type { Criteria } from './suite.ts';

/** What one run did, counted from its events and its Result. */
export interface RunFacts {
  turns: number;
  /** Executed calls, and those of them that did not end ok. */
  toolCalls: number;
  toolErrors: number;
  /** Calls that named no tool or whose arguments did not fit, and replies that could not be read. */
  invalidCalls: number;
  /** Calls that repeat an earlier one of the same attempt, executed or blocked. */
  duplicateCalls: number;
  /** Of those the ones that were blocked for it. */
  blockedCalls: number;
  /** Calls the policy or a human refused, and those that would have had an effect in one of several tries. */
  deniedCalls: number;
  claims: number;
  /** Claims whose every quote stands in the observation it names. */
  supportedClaims: number;
  /** Pieces of evidence that were cited, and those that do not stand where they are said to. */
  citations: number;
  brokenCitations: number;
  /** Verdicts of the verification, and those that sent the answer back. */
  verdicts: number;
  objections: number;
  revisions: number;
  trials: number;
  samples: number;
  lessonsRecalled: number;
  lessonsAdmitted: number;
  /** Something failed on the way: a tool error, a reply or a call that was sent back, an objection, a failed trial. */
  stumbled: boolean;
}

export const noFacts: RunFacts = Object.freeze({
  turns: 0,
  toolCalls: 0,
  toolErrors: 0,
  invalidCalls: 0,
  duplicateCalls: 0,
  blockedCalls: 0,
  deniedCalls: 0,
  claims: 0,
  supportedClaims: 0,
  citations: 0,
  brokenCitations: 0,
  verdicts: 0,
  objections: 0,
  revisions: 0,
  trials: 0,
  samples: 0,
  lessonsRecalled: 0,
  lessonsAdmitted: 0,
  stumbled: false,
});

/** How a run came out. Only `success` is one: degraded and broken runs are told apart and count as failures. */
export type Outcome = 'success' | 'failure' | 'degraded' | 'broken' | 'not-run';

/** One run of one task under one configuration. */
export interface EvalRecord {
  configuration: string;
  task: string;
  kind?: string | undefined;
  /** Counted from 1. */
  repeat: number;
  runId: string;
  outcome: Outcome;
  grade: Grade;
  status: Status;
  reason: string;
  /** For a broken run what broke, for one that was not run why. */
  detail: string;
  answer?: string | undefined;
  degraded: boolean;
  /** The model that answered was its own only judge. */
  selfChecked: boolean;
  /** The program itself says that the answer is open, cut short or not there; false for what it hands over without a word. */
  flagged: boolean;
  /** For each answer that was revised (each sample and trial has its own): whether its versions pass, in order, the last included. Empty where the grader needs more than the answer. */
  versions: boolean[][];
  /** What the run costs when every reply is paid for. */
  usage: Usage;
  /** What it cost this time: without replies from the cache. */
  bought: Usage;
  /** What a model that judged the answer cost; absent where none did. */
  judging?: Usage | undefined;
  /** Active time in milliseconds, without waiting for a rate limit. */
  latencyMs: number;
  facts: RunFacts;
}

export interface ModelSummary {
  role: string;
  id: string;
  /** `provider`, or `scripted`, `replayed`, `function`, `command` for a stand-in: a report says which. */
  source: string;
}

export interface ConfigurationSummary {
  name: string;
  solver: string;
  /** Names of the layers, outermost first. */
  layers: string[];
  models: ModelSummary[];
  openBook: boolean;
}

/** What was fixed before the first run. */
export interface EvaluationHeader {
  id: string;
  suite: string;
  description?: string | undefined;
  /** Milliseconds since the epoch. */
  began: number;
  ended?: number | undefined;
  /** SHA-256 of the tasks as canonical JSON. */
  tasksHash: string;
  /** SHA-256 of everything that was fixed: tasks, graders, configurations, repeats, criteria. */
  fingerprint: string;
  tasks: number;
  repeats: number;
  graders: { name: string; knows: string }[];
  criteria: Criteria;
  baseline: string;
  /** The configuration that the criteria are about. */
  subject: string;
  configurations: ConfigurationSummary[];
  version: string;
}

/** An evaluation as far as it got. */
export interface Evaluation {
  header: EvaluationHeader;
  records: EvalRecord[];
  /** The folder with its runs: a home that `assay show --home` reads. */
  folder: string;
}

/** A share with its 95 % interval (Wilson 1927; over repeats with the design effect of Rao and Scott 1992). `of` 0 gives rate NaN, written as null in JSON. */
export interface Share {
  count: number;
  of: number;
  rate: number;
  low: number;
  high: number;
}

/** A mean or a difference with its 95 % interval (bootstrap). */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** What a configuration came to, over all tasks and repeats. Shares are 0 to 1, times milliseconds, money USD. */
export interface ConfigurationMetrics {
  configuration: string;
  runs: number;
  success: Share;
  /** By number of repeats k: the chance that all k succeed, and that one of k does. */
  passHatK: number[];
  passAtK: number[];
  meanScore: number;
  degraded: Share;
  broken: Share;
  selfChecked: Share;
  /** Wrong and handed over without a word; of all runs. */
  silentFailures: Share;
  /** Right and flagged as doubtful; of all successes. */
  falseAlarms: Share;
  evidenceErrors: Share;
  evidenceCoverage: Share;
  meanLatencyMs: number;
  p95LatencyMs: number;
  /** NaN where a call had no known price. */
  usdPerSuccess: number;
  usd: number;
  tokensPerSuccess: number;
  toolSuccess: Share;
  meanSteps: number;
  meanModelCalls: number;
  invalidCalls: Share;
  duplicateCalls: Share;
  /** Runs revised after verification, of those that were verified. */
  revised: Share;
  /** Successes among the runs that stumbled. */
  recovered: Share;
  /** Over neighbouring versions of one answer. */
  rightToWrong: Share;
  wrongToRight: Share;
  /** Success with a recalled lesson minus success without; not paired. NaN without either. */
  lessonDifference: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  byKind: Record<string, Share>;
}

/** Two configurations on the same tasks: `b` against `a`. */
export interface Comparison {
  a: string;
  b: string;
  /** Tasks that both have. */
  tasks: number;
  /** Success of b minus success of a; paired bootstrap over tasks. */
  difference: Estimate;
  /** Tasks on which only b, or only a, is better (by its share of successful repeats). */
  onlyB: number;
  onlyA: number;
  /** Two-sided and exact: McNemar where tasks ran once, the sign-flip permutation test of the differences where they were repeated. */
  pValue: number;
  /** The same for the share of silent failures. */
  silentDifference: Estimate;
  silentPValue: number;
  /** Cost of b over cost of a, in USD where all is priced, else in tokens. */
  costRatio: number;
  costUnit: 'usd' | 'tokens';
  latencyRatio: number;
  /** `noise`: the difference is inside what chance gives. */
  finding: 'better' | 'worse' | 'noise';
}
