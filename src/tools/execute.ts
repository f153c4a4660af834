/**
 * Runs one prepared call: policy of this process → budget → run with signal, timeout and idempotency key → normalise, redact.
 *
 * 1. Exactly one outcome per call, also for denied, timed-out and interrupted ones (invariant 7).
 * 2. The budget is reserved inside the step; a refusal is a recorded outcome.
 * 3. A tool that throws, whatever it throws, is an `error` outcome; only cancellation and nondeterminism pass.
 * 4. An effect whose outcome a crash left unknown is reconciled or asked about, never repeated unasked.
 * 5. Whether the policy permits the call is asked inside its step: what this process may do now, not what another one was allowed.
 */
import { hash } from 'node:crypto';
import type { Observation } from '../core/attempt.ts';
import type { BudgetLimit, Hold, Span } from '../core/budget.ts';
import { messageOf, StepFailedError, UncertainOutcomeError } from '../core/errors.ts';
import type { RunContext } from '../core/run-context.ts';
import type { StepContext } from '../core/step.ts';
import type { PreparedCall } from '../core/turn.ts';
import { noUsage, oneToolCall } from '../core/usage.ts';
import { withoutMarkup } from './markup.ts';
import { normaliseOutput } from './normalise.ts';
import type { Permit } from './policy/policy.ts';
import type { Reconciled, Tool } from './tool.ts';

/** What executing a call needs of a run. */
export interface ToolRun extends RunContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permit: Permit;
  redact(text: string): string;
  /** The same for the texts inside a JSON value. */
  redactJson<T>(value: T): T;
  /** Told of every observation and what it was made of, in the order of their events: for who looks at a recorded run. */
  onObservation?(observation: Observation, outcome: Outcome): void;
}

export interface Outcome {
  status: Observation['status'];
  content: string;
  /** A human has to say whether the call may run (again); nothing more happens without. */
  question?: string;
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
  const timeoutMs = timeLeft(tool, run);
  try {
    const outcome = await run.step<Outcome>(
      `tool.${tool.name}`,
      (context) => permitted(tool, call, run, { context: contextOf(context, call, run), holds }),
      {
        effect: repeatable(tool) ? 'at-least-once' : 'at-most-once',
        timeoutMs,
      },
    );
    const ran = !(outcome.limited || outcome.question || outcome.status === 'denied');
    run.budget.settle(holds[0], ran ? oneToolCall : noUsage, outcome.span);
    return outcome;
  } catch (error) {
    const recorded = error instanceof StepFailedError || error instanceof UncertainOutcomeError;
    run.budget.settle(holds[0], recorded ? oneToolCall : noUsage, timedOutSpan(error, timeoutMs, run));
    if (error instanceof UncertainOutcomeError) return reconcile(tool, call, run);
    if (error instanceof StepFailedError) return failedOutcome(tool, error, timeoutMs);
    throw error;
  }
}

/** A key of the run and of what is called: the same effect asked for once more is the same for whoever honours keys. */
function contextOf(context: StepContext, call: PreparedCall, run: ToolRun): StepContext {
  if (run.tools.get(call.tool)?.effect === 'read') return context;
  return tryOf(context, { idempotencyKey: hash('sha256', `${run.runId}\n${call.key}`).slice(0, 32) });
}

/** The context with another key or number. Its signal is made when it is first asked for, so it is passed on by a getter. */
function tryOf(context: StepContext, change: { idempotencyKey?: string; attempt?: number }): StepContext {
  const { idempotencyKey, attempt } = {
    ...{ idempotencyKey: context.idempotencyKey, attempt: context.attempt },
    ...change,
  };
  return {
    idempotencyKey,
    attempt,
    get signal() {
      return context.signal;
    },
  };
}

/** Runs the call if the policy of this process lets it: the answer is recorded with the step, so a replay has it too. */
function permitted(
  tool: Tool,
  call: PreparedCall,
  run: ToolRun,
  step: { context: StepContext; holds: Hold[] },
): Promise<Outcome> | Outcome {
  const approved = call.verdict.type === 'ask';
  const decided = run.permit(tool, call.args);
  const go = ({ action, why }: { action: string; why: string }): Promise<Outcome> | Outcome => {
    if (action === 'deny')
      return { status: 'denied', content: `Denied: ${why}. Do without it or say what is missing.` };
    if (action === 'ask' && !approved) return { status: 'denied', content: `Not run: ${why}.`, question: why };
    return runTool(tool, call, run, step);
  };
  return decided instanceof Promise ? decided.then(go) : go(decided);
}

/** A call that hung has no span of its own: it ended when its failure was recorded (invariant 2). */
function timedOutSpan(error: unknown, timeoutMs: number, run: ToolRun): Span | undefined {
  if (!(error instanceof StepFailedError && error.causeName === 'TimeoutError')) return undefined;
  const to = run.now();
  return { from: to - timeoutMs, to };
}

/** A call may take what its tool allows, and no more than is left of the run's time. In whole seconds, as a run's clock is. */
function timeLeft(tool: Tool, run: ToolRun): number {
  const left = run.budget.remainingMs();
  return left >= tool.timeoutMs ? tool.timeoutMs : Math.min(tool.timeoutMs, Math.max(1, Math.ceil(left / 1000)) * 1000);
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
  const attempts = repeatable(tool) ? tool.retries + 1 : 1;
  for (let attempt = 1; ; attempt++) {
    try {
      const value = await tool.run(call.args, attempt === 1 ? context : tryOf(context, { attempt }));
      const to = Date.now();
      if (isLate(context, to - from, tool)) run.emit({ type: 'tool.late', tool: tool.name, ms: to - from });
      return { status: 'ok', content: await cleaned(value, tool, run), span: { from, to } };
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

/** Its step has ended as a timeout; what it did all the same is told, and goes no further. A signal is dear: most calls never ask. */
function isLate(context: StepContext, ms: number, tool: Tool): boolean {
  return ms > tool.timeoutMs / 2 && context.signal.aborted;
}

function failedOutcome(tool: Tool, error: StepFailedError, timeoutMs: number): Outcome {
  if (error.causeName !== 'TimeoutError') return { status: 'error', content: error.message };
  const effect = tool.effect === 'read' ? '' : ' It may still complete: do not repeat it blindly.';
  return { status: 'timeout', content: `No result within ${timeoutMs} ms.${effect}` };
}

/** Secrets go before anything is cut: a cut secret is found by no pattern. */
async function cleaned(value: unknown, tool: Tool, run: ToolRun): Promise<string> {
  const text = normaliseOutput(value);
  return run.redact(tool.markup === 'text' ? await withoutMarkup(text) : text);
}

const interrupted = 'A crash interrupted this call and its effect may have happened.';

/** What the tool knows of its interrupted call; where it knows nothing, a human is asked. */
async function reconcile(tool: Tool, call: PreparedCall, run: ToolRun): Promise<Outcome> {
  const found = tool.reconcile ? await askTool(tool, call, run) : { happened: 'unknown' as const, detail: '' };
  if (found.happened === true) return { status: 'ok', content: await cleaned(found.result, tool, run) };
  if (found.happened === false) {
    return {
      status: 'error',
      content: 'A crash interrupted this call before its effect happened. It may be called again.',
    };
  }
  const known = found.detail === '' ? '' : ` What is known: ${run.redact(normaliseOutput(found.detail))}.`;
  return {
    status: 'unknown-outcome',
    content: `${interrupted}${known} Do not repeat it; find out first.`,
    question: `${interrupted}${known} Approve to run it again, deny to leave it`,
  };
}

async function askTool(tool: Tool, call: PreparedCall, run: ToolRun): Promise<Reconciled> {
  try {
    return await run.step<Reconciled>(
      `reconcile.${tool.name}`,
      async (context) =>
        (await tool.reconcile?.(call.args, contextOf(context, call, run))) ?? { happened: 'unknown', detail: '' },
      { timeoutMs: tool.timeoutMs },
    );
  } catch (error) {
    if (error instanceof StepFailedError)
      return { happened: 'unknown', detail: `asking the tool failed: ${error.message}` };
    throw error;
  }
}
