/** What an attempt comes to: the status, the reason and the metrics of a Result. */
import type { Attempt, Report } from '../core/attempt.ts';
import type { Budget } from '../core/budget.ts';
import { CancelledError, messageOf, NondeterminismError } from '../core/errors.ts';
import type { Metrics, Reason, Result, Status } from '../core/result.ts';
import { isSupported } from './supported.ts';

/** The Result of a run that ended by itself. */
export function resultOf(runId: string, attempt: Attempt, budget: Budget): Result {
  const { status, reason } = statusOf(attempt);
  return assemble(runId, { status, reason, attempt, budget });
}

/** The Result of a run that was interrupted from outside, with what there was. */
export function interruptedResult(
  runId: string,
  options: { status: Status; reason: Reason; attempt: Attempt | undefined; budget: Budget },
): Result {
  return assemble(runId, { ...options, attempt: options.attempt ?? nothing });
}

/** A throw becomes a Result with what was kept; a journal that does not fit goes on to the host, which parks the run. */
export function thrownResult(
  error: unknown,
  context: { runId: string; attempt: Attempt | undefined; budget: Budget; redact(text: string): string },
): Result {
  if (error instanceof NondeterminismError) throw error;
  const { runId, attempt, budget } = context;
  if (error instanceof CancelledError) {
    return interruptedResult(runId, {
      status: 'cancelled',
      reason: { code: 'cancelled', detail: error.message },
      attempt,
      budget,
    });
  }
  const detail = context.redact(messageOf(error));
  return interruptedResult(runId, { status: 'failed', reason: { code: 'error', detail }, attempt, budget });
}

const nothing: Attempt = {
  claims: [],
  observations: [],
  reports: [],
  drafts: [],
  ended: { type: 'limit', limit: 'interrupted', detail: 'nothing was attempted yet' },
  degraded: false,
  revisions: 0,
};

function assemble(runId: string, parts: { status: Status; reason: Reason; attempt: Attempt; budget: Budget }): Result {
  const { status, reason, attempt, budget } = parts;
  // Nothing goes on from here, and the transcript is rebuilt from the journal when it is wanted.
  const { state: _, ...ended } = attempt;
  return {
    runId,
    status,
    reason,
    ...(attempt.answer !== undefined && { answer: attempt.answer }),
    attempt: ended,
    selfChecked: selfChecked(attempt),
    usage: budget.spent,
    metrics: metricsOf(attempt, budget),
  };
}

function statusOf(attempt: Attempt): { status: Status; reason: Reason } {
  const { ended, answer, stopped } = attempt;
  if (answer === undefined) return unanswered(attempt);
  if (ended.type !== 'final') {
    const code = ended.type === 'limit' ? ended.limit : ended.fault;
    return {
      status: 'stopped',
      reason: { code, detail: `${ended.detail}; the answer is a last one from what was found` },
    };
  }
  if (stopped) return { status: 'stopped', reason: { code: stopped.layer, detail: stopped.why } };
  const report = attempt.reports.at(-1);
  switch (report?.verdict) {
    case 'pass':
      return attempt.revisions > 0
        ? {
            status: 'revised',
            reason: { code: 'revised', detail: `the answer passed its checks after ${attempt.revisions} revision(s)` },
          }
        : { status: 'completed', reason: { code: 'completed', detail: 'the answer passed its checks' } };
    case undefined:
      return { status: 'needs_more_evidence', reason: { code: 'not-verified', detail: 'no check ran on the answer' } };
    case 'unchecked':
      return { status: 'needs_more_evidence', reason: { code: 'unchecked', detail: firstIssue(report) } };
    default:
      return { status: 'needs_more_evidence', reason: { code: 'open-issues', detail: firstIssue(report) } };
  }
}

function unanswered(attempt: Attempt): { status: Status; reason: Reason } {
  const { ended } = attempt;
  if (ended.type === 'limit') return { status: 'stopped', reason: { code: ended.limit, detail: ended.detail } };
  if (ended.type === 'fault') return { status: 'failed', reason: { code: ended.fault, detail: ended.detail } };
  return { status: 'failed', reason: { code: 'no-answer', detail: 'the attempt ended without an answer' } };
}

function firstIssue(report: Report | undefined): string {
  const [first, ...rest] = report?.issues ?? [];
  if (!first) return 'the verifier was not satisfied and named no issue';
  return rest.length > 0 ? `${first.detail} (and ${rest.length} more)` : first.detail;
}

/** The last verification passed, and nobody in it knew more than the model that answered. */
function selfChecked(attempt: Attempt): boolean {
  const passes: Report[] = [];
  for (const report of attempt.reports.toReversed()) {
    if (report.verdict !== 'pass') break;
    passes.push(report);
  }
  return passes.length > 0 && passes.every((report) => report.knows === 'self');
}

function metricsOf(attempt: Attempt, budget: Budget): Metrics {
  const supported = attempt.claims.filter((claim) => isSupported(claim, attempt.observations));
  return {
    // Not `state.turn`, which a revision counts anew.
    turns: attempt.state?.transcript.messages.filter((message) => message.role === 'assistant').length ?? 0,
    toolCalls: budget.spent.toolCalls,
    toolErrors: attempt.observations.filter((seen) => seen.status !== 'ok').length,
    supportedClaims: supported.length,
    claims: attempt.claims.length,
    revisions: attempt.revisions,
    activeMs: budget.activeMs,
  };
}
