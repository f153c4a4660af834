/** From a run to its record. */
import type { Span } from '../../core/budget.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { type EvalRecord, noFacts, type Outcome } from '../evaluation.ts';
import type { Grade } from '../grader.ts';
import { factsOf, flaggedBy } from '../metrics/run-facts.ts';
import { type Job, runIdOf } from './begin-run.ts';
import type { Meter } from './metered-model.ts';

export interface Ended {
  runId: string;
  result: Result;
  events: readonly RunEvent[];
  grade: Grade;
  versions: boolean[][];
  meter: Meter;
}

/** The reasons of a Result that are a program's or a provider's fault, not the answer's. */
const brokenReasons: ReadonlySet<string> = new Set(['error', 'model-error', 'parked']);

/** The record of a run that ended by itself. */
export function recordOf(job: Job, ended: Ended): EvalRecord {
  const { result, grade, meter } = ended;
  return {
    ...base(job, ended.runId),
    outcome: outcomeOf(result, grade),
    grade,
    status: result.status,
    reason: result.reason.code,
    detail: result.reason.detail,
    answer: result.answer,
    degraded: result.attempt.degraded,
    selfChecked: result.selfChecked,
    flagged: flaggedBy(result),
    versions: ended.versions,
    usage: result.usage,
    bought: subtract(result.usage, meter.saved),
    latencyMs: Math.max(0, result.metrics.activeMs - covered(meter.waits)),
    facts: factsOf(ended.events, result),
  };
}

function outcomeOf(result: Result, grade: Grade): Outcome {
  if (brokenReasons.has(result.reason.code)) return 'broken';
  if (result.attempt.degraded) return 'degraded';
  return grade.pass ? 'success' : 'failure';
}

/** The record of a run, or of its grading, that broke. */
export function brokenRecord(job: Job, runId: string, why: string, usage: Usage = noUsage): EvalRecord {
  return {
    ...empty(job, runId),
    outcome: 'broken',
    status: 'failed',
    reason: 'error',
    detail: why,
    usage,
    bought: usage,
  };
}

/** The record of a job that the evaluation's budget had no room for. */
export function notRun(job: Job, why: string): EvalRecord {
  return {
    ...empty(job, runIdOf(job)),
    outcome: 'not-run',
    status: 'stopped',
    reason: 'evaluation-budget',
    detail: why,
  };
}

function base(job: Job, runId: string): Pick<EvalRecord, 'configuration' | 'task' | 'kind' | 'repeat' | 'runId'> {
  const { configuration, task, repeat } = job;
  return { configuration: configuration.name, task: task.id, kind: task.kind, repeat, runId };
}

function empty(job: Job, runId: string): Omit<EvalRecord, 'outcome' | 'status' | 'reason' | 'detail'> {
  return {
    ...base(job, runId),
    grade: { pass: false, score: 0, why: 'there is no answer to grade' },
    degraded: false,
    selfChecked: false,
    flagged: true,
    versions: [],
    usage: noUsage,
    bought: noUsage,
    latencyMs: 0,
    facts: noFacts,
  };
}

/** What was paid for now. Rounding must not make it negative. */
function subtract(all: Usage, saved: Usage): Usage {
  // A Usage holds numbers only.
  const names = Object.keys(all) as (keyof Usage)[];
  return Object.fromEntries(
    names.map((name) => [name, Math.max(0, (all[name] ?? 0) - (saved[name] ?? 0))]),
  ) as unknown as Usage;
}

/** Milliseconds that at least one span covers. */
function covered(spans: readonly Span[]): number {
  let sum = 0;
  let end = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}
