/** Rows in our own shape: what a run left, with its task. */
import * as z from 'zod';
import { Claim } from '../../../core/attempt.ts';
import { UsageError } from '../../../core/errors.ts';
import { Plan } from '../../../core/task.ts';
import type { FailedRun } from '../failed-run.ts';
import { type Fields, isFields, type RowPlace } from './fields.ts';
import { readEvents } from './recorded-events.ts';
import { Ending, Report } from './recorded-parts.ts';

const Observation = z.object({
  id: z.custom<`obs-${number}`>((id) => typeof id === 'string' && /^obs-\d+$/.test(id), 'an id such as obs-1'),
  path: z.string().default(''),
  tool: z.string(),
  args: z.unknown(),
  status: z.enum(['ok', 'error', 'denied', 'timeout', 'unknown-outcome']),
  content: z.string(),
  trust: z.enum(['trusted', 'untrusted']).default('untrusted'),
});
const Attempt = z.object({
  answer: z.string().optional(),
  claims: z.array(Claim).default([]),
  observations: z.array(Observation).default([]),
  plan: Plan.optional(),
  reports: z.array(Report).default([]),
  ended: Ending,
  degraded: z.boolean().default(false),
  revisions: z.number().default(0),
});
const Task = z.union([
  z.string().transform((input) => ({ id: input, input })),
  z.object({
    id: z.string().optional(),
    input: z.string(),
    constraints: z.array(z.string()).optional(),
    outputSchema: z.record(z.string(), z.json()).optional(),
    expected: z.json().optional(),
  }),
]);
const Grade = z.object({ pass: z.boolean(), score: z.number().default(0), why: z.string().default('') });
const Row = z.object({
  runId: z.string().optional(),
  task: Task,
  configuration: z.string().optional(),
  repeat: z.number().optional(),
  status: z
    .enum(['completed', 'revised', 'needs_more_evidence', 'awaiting_approval', 'stopped', 'failed', 'cancelled'])
    .optional(),
  reason: z
    .union([z.object({ code: z.string(), detail: z.string() }), z.string().transform((code) => ({ code, detail: '' }))])
    .optional(),
  attempt: Attempt,
  events: z.array(z.unknown()).default([]),
  grade: Grade.optional(),
  expected: z.json().optional(),
});

/** A recorded run. Events that are not in our shape are left out. Throws `UsageError` with the line for a row that is not. */
export function recordedRun(row: Fields, place: RowPlace): FailedRun {
  const read = Row.safeParse({ ...row, ...(isFields(row['result']) && row['result']) });
  if (!read.success)
    throw new UsageError(
      `${place.name}, ${place.unit ?? 'line'} ${place.line}: no recorded run: ${z.prettifyError(read.error)}`,
    );
  const { task, attempt, expected, runId, events, ...rest } = read.data;
  const wanted = 'expected' in task && task.expected !== undefined ? task.expected : expected;
  const id = task.id ?? runId ?? `line-${place.line}`;
  return {
    ...rest,
    runId: runId ?? id,
    task: { ...task, id, expected: wanted },
    attempt: { ...attempt, drafts: [] },
    events: readEvents(events, runId ?? id),
  };
}
