/**
 * Runs one prepared call: budget → run with signal, timeout and idempotency key → normalise, redact.
 *
 * 1. Exactly one outcome per call, also for denied, timed-out and interrupted ones (invariant 7).
 * 2. The budget is reserved inside the step; a refusal is a recorded outcome.
 * 3. A tool that throws, whatever it throws, is an `error` outcome; only cancellation and nondeterminism pass.
 * 4. An effect whose outcome a crash left unknown is reconciled or reported, never repeated.
 */
import type { Observation } from '../core/attempt.ts';
import type { BudgetLimit, Hold, Span } from '../core/budget.ts';
import { messageOf, StepFailedError, UncertainOutcomeError } from '../core/errors.ts';
import type { RunContext } from '../core/run-context.ts';
import type { StepContext } from '../core/step.ts';
import type { PreparedCall } from '../core/turn.ts';
import { noUsage, oneToolCall } from '../core/usage.ts';
import { normaliseOutput } from './normalise.ts';
import type { Tool } from './tool.ts';

/** What executing a call needs of a run. */
export interface ToolRun extends RunContext {
  readonly tools: ReadonlyMap<string, Tool>;
  redact(text: string): string;
  /** The same for the texts inside a JSON value. */
  redactJson<T>(value: T): T;
}

export interface Outcome {
  status: Observation['status'];
  content: string;
  /** The limit for which the budget refused the call: the loop has to end. */
  limited?: BudgetLimit;
  span?: Span;
}

/** Executes the call and returns what came of it. Throws only `CancelledError` and `NondeterminismError`. */
export async function executeCall(call: PreparedCall, run: ToolRun): Promise<Outcome> {
  if (call.verdict.type === 'ask' && !call.verdict.decision?.approved)
    return deniedOutcome(call.verdict.decision?.reason);
  const tool = run.tools.get(call.tool);
  if (!tool) return { status: 'error', content: `the tool '${call.tool}' is no longer registered` };
  const holds: Hold[] = [];
  try {
    const outcome = await run.step<Outcome>(
      `tool.${tool.name}`,
      (context) => runTool(tool, call, run, { context, holds }),
      {
        effect: repeatable(tool) ? 'at-least-once' : 'at-most-once',
        timeoutMs: tool.timeoutMs,
      },
    );
    run.budget.settle(holds[0], outcome.limited ? noUsage : oneToolCall, outcome.span);
    return outcome;
  } catch (error) {
    const recorded = error instanceof StepFailedError || error instanceof UncertainOutcomeError;
    run.budget.settle(holds[0], recorded ? oneToolCall : noUsage, timedOutSpan(error, tool, run));
    if (error instanceof UncertainOutcomeError) return reconcile(tool, call, run);
    if (error instanceof StepFailedError) return failedOutcome(tool, error);
    throw error;
  }
}

/** A call that hung has no span of its own: it ended when its failure was recorded (invariant 2). */
function timedOutSpan(error: unknown, tool: Tool, run: ToolRun): Span | undefined {
  if (!(error instanceof StepFailedError && error.causeName === 'TimeoutError')) return undefined;
  const to = run.now();
  return { from: to - tool.timeoutMs, to };
}

/** Whether running it again does no harm. */
function repeatable(tool: Tool): boolean {
  return tool.effect === 'read' || tool.idempotent;
}

function deniedOutcome(reason: string | undefined): Outcome {
  return { status: 'denied', content: `A human denied this call${reason ? `: ${reason}` : ''}. Do not repeat it.` };
}

async function runTool(
  tool: Tool,
  call: PreparedCall,
  run: ToolRun,
  step: { context: StepContext; holds: Hold[] },
): Promise<Outcome> {
  const reserved = run.budget.reserve({ toolCalls: 1 });
  if (typeof reserved === 'string') {
    return { status: 'denied', content: `Not run: the limit ${reserved} of this run is used up.`, limited: reserved };
  }
  step.holds.push(reserved);
  const from = Date.now();
  const { context } = step;
  const { idempotencyKey } = context;
  const attempts = repeatable(tool) ? tool.retries + 1 : 1;
  for (let attempt = 1; ; attempt++) {
    try {
      const value = await tool.run(
        call.args,
        attempt === 1 ? context : { idempotencyKey, attempt, signal: context.signal },
      );
      return { status: 'ok', content: run.redact(normaliseOutput(value)), span: { from, to: Date.now() } };
    } catch (error) {
      context.signal.throwIfAborted();
      if (attempt < attempts) continue;
      return {
        status: 'error',
        content: run.redact(normaliseOutput(messageOf(error))),
        span: { from, to: Date.now() },
      };
    }
  }
}

function failedOutcome(tool: Tool, error: StepFailedError): Outcome {
  if (error.causeName !== 'TimeoutError') return { status: 'error', content: error.message };
  const effect = tool.effect === 'read' ? '' : ' It may still complete: do not repeat it blindly.';
  return { status: 'timeout', content: `No result within ${tool.timeoutMs} ms.${effect}` };
}

async function reconcile(tool: Tool, call: PreparedCall, run: ToolRun): Promise<Outcome> {
  const unknown: Outcome = {
    status: 'unknown-outcome',
    content: 'A crash interrupted this call and its effect may have happened. Do not repeat it; find out first.',
  };
  if (!tool.reconcile) return unknown;
  const found = await run
    .step(
      `reconcile.${tool.name}`,
      async (context) => (await tool.reconcile?.(call.args, context)) ?? { happened: 'unknown' as const },
      { timeoutMs: tool.timeoutMs },
    )
    .catch((error: unknown) => {
      if (error instanceof StepFailedError) return { happened: 'unknown' as const };
      throw error;
    });
  if (found.happened === true) return { status: 'ok', content: run.redact(normaliseOutput(found.result)) };
  if (found.happened === false) {
    return {
      status: 'error',
      content: 'A crash interrupted this call before its effect happened. It may be called again.',
    };
  }
  return unknown;
}
